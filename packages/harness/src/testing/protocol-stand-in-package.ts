/** What an installed provider exports, for tests: the shapes that are known of such packages, and some that are none. */
import { ProtocolStandIn } from "./protocol-stand-in.js";

/** All that were opened, newest last. */
export const opened: ProtocolStandIn[] = [];
export const optionsSeen: unknown[] = [];

export const WithCreate = {
  async create(options: unknown): Promise<ProtocolStandIn> {
    optionsSeen.push(options);
    const sandbox = new ProtocolStandIn();
    opened.push(sandbox);
    return sandbox;
  },
};

export class AsClass extends ProtocolStandIn {
  isRunning = false;
  constructor(options: unknown) {
    super();
    optionsSeen.push(options);
    opened.push(this);
  }
  async initialize(): Promise<void> {
    this.isRunning = true;
  }
}

export const asFunction = (options: unknown): Promise<ProtocolStandIn> => WithCreate.create(options);

export const asInstance = new ProtocolStandIn();

export const withoutUploads = { id: "x", execute: () => undefined };

export const failing = (): never => {
  throw new Error("key sk-1234 is not valid");
};

export const aNumber = 7;
