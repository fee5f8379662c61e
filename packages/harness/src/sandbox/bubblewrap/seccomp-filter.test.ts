import { describe, expect, it } from "vitest";
import { seccompFilter } from "./seccomp-filter.js";

interface Call {
  readonly architecture: number;
  readonly number: number;
  readonly arguments?: readonly number[];
}

const TESTS: Readonly<Record<number, (accumulator: number, value: number) => boolean>> = {
  0x15: (accumulator, value) => accumulator === value,
  0x35: (accumulator, value) => accumulator >= value,
  0x45: (accumulator, value) => (accumulator & value) !== 0,
};

/** Runs the filter as the kernel does, for the few instructions that it uses. */
function verdict(filter: Uint8Array, call: Call): number {
  const code = Buffer.from(filter);
  const data: Record<number, number> = { 0: call.number, 4: call.architecture };
  for (const [index, argument] of (call.arguments ?? []).entries()) data[16 + 8 * index] = argument;
  let accumulator = 0;
  for (let at = 0; at < code.length; at += 8) {
    const [operation, value] = [code.readUInt16LE(at), code.readUInt32LE(at + 4)];
    if (operation === 0x06) return value;
    if (operation === 0x20) accumulator = data[value] ?? 0;
    else if (operation === 0x54) accumulator &= value;
    else {
      const holds = TESTS[operation]?.(accumulator, value) ?? false;
      at += 8 * code.readUInt8(at + (holds ? 2 : 3));
    }
  }
  throw new Error("the filter ended without a verdict");
}

const ALLOW = 0x7fff0000;
const REFUSE = 0x00050001;
const UNKNOWN = 0x00050026;
const KILL = 0x80000000;
const X64 = 0xc000003e;
const ARM64 = 0xc00000b7;
const UNIX = 1;
const INTERNET = 2;
const NETLINK = 16;
const VSOCK = 40;

describe.each([
  {
    name: "x64",
    architecture: X64,
    other: ARM64,
    read: 0,
    socket: 41,
    socketpair: 53,
    ptrace: 101,
    keyctl: 250,
    openat: 257,
    fchmodat: 268,
    fchmod: 91,
  },
  {
    name: "arm64",
    architecture: ARM64,
    other: X64,
    read: 63,
    socket: 198,
    socketpair: 199,
    ptrace: 117,
    keyctl: 219,
    openat: 56,
    fchmodat: 53,
    fchmod: 52,
  },
])("the system call filter for $name", ({ name, architecture, other, ...numbers }) => {
  const filter = seccompFilter(name);
  const judge = (number: number, ...args: number[]) =>
    verdict(filter ?? new Uint8Array(), { architecture, number, arguments: args });

  it("allows ordinary calls", () => {
    expect(judge(numbers.read)).toBe(ALLOW);
  });

  it("allows pairs of sockets that stay connected, and none that could send to others", () => {
    const flags = 0o2004000;
    const verdicts = (family: number) =>
      [0, 1, 2, 3, 4, 5, 10].flatMap((type) => [
        judge(numbers.socketpair, family, type),
        judge(numbers.socketpair, family, type | flags),
      ]);
    expect(verdicts(UNIX)).toEqual(
      [REFUSE, ALLOW, REFUSE, REFUSE, REFUSE, ALLOW, REFUSE].flatMap((row) => [row, row]),
    );
    expect(new Set([INTERNET, NETLINK, VSOCK, 30].flatMap(verdicts))).toEqual(new Set([REFUSE]));
  });

  it("allows internet and netlink sockets only", () => {
    const families = [INTERNET, NETLINK, UNIX, VSOCK].map((family) => judge(numbers.socket, family));
    expect(families).toEqual([ALLOW, ALLOW, REFUSE, REFUSE]);
  });

  it("refuses tracing, key rings and io_uring", () => {
    expect([numbers.ptrace, numbers.keyctl, 425].map((number) => judge(number))).toEqual([
      REFUSE,
      REFUSE,
      REFUSE,
    ]);
  });

  it("refuses setuid and setgid modes, and allows all others", () => {
    const modes = [0o755, 0o1777, 0o4755, 0o2755, 0o6000];
    const expected = [ALLOW, ALLOW, REFUSE, REFUSE, REFUSE];
    expect(modes.map((mode) => judge(numbers.fchmod, 3, mode))).toEqual(expected);
    expect(modes.map((mode) => judge(numbers.fchmodat, 3, 0, mode))).toEqual(expected);
    expect(modes.map((mode) => judge(numbers.openat, 3, 0, 0x41, mode))).toEqual(expected);
    expect(judge(numbers.openat, 3, 0, 0x41_0002, 0o4755)).toBe(REFUSE);
  });

  it("ignores the mode of an opening that creates nothing, and knows no openat2", () => {
    expect([judge(numbers.openat, 3, 0, 0x8_0000, 0o4755), judge(437)]).toEqual([ALLOW, UNKNOWN]);
  });

  it("kills a program that calls through another architecture", () => {
    expect(verdict(filter ?? new Uint8Array(), { architecture: other, number: 0 })).toBe(KILL);
  });
});

describe("the system call filter", () => {
  it("kills a program that calls through the x32 interface of x64", () => {
    const filter = seccompFilter("x64") ?? new Uint8Array();
    expect(verdict(filter, { architecture: X64, number: 0x40000000 + 41, arguments: [UNIX] })).toBe(KILL);
  });

  it("does not exist for a processor whose call numbers are unknown", () => {
    expect(seccompFilter("riscv64")).toBeUndefined();
  });
});
