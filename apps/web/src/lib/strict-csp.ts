/** Must be imported first: keeps Zod from trying `new Function`, which a strict content security policy reports. */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
