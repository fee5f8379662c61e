/**
 * The system call filter of the sandbox, assembled by hand so that nothing has to be compiled: classic BPF, as
 * `bwrap --seccomp FD` takes it. It refuses what namespaces leave open: sockets other than internet and netlink
 * (a UNIX socket in a shown folder, vsock to a virtual machine's host, crypto sockets), pairs of sockets that can still
 * call others, tracing other processes,
 * the kernel's key rings, interfaces that have a history of kernel holes, and files with setuid or setgid bits,
 * which would lend the host user's rights to whoever starts them outside.
 *
 * Layout of the program and of `struct seccomp_data`: Linux `include/uapi/linux/{filter,seccomp,audit}.h`.
 */
export type SeccompArchitecture = "x64" | "arm64";

interface CallNumbers {
  readonly x64: number;
  readonly arm64: number;
}

/** Sources: `asm/unistd_64.h` (x64) and `asm-generic/unistd.h` (arm64). */
const REFUSED_CALLS: Readonly<Record<string, CallNumbers>> = {
  ptrace: { x64: 101, arm64: 117 },
  process_vm_readv: { x64: 310, arm64: 270 },
  process_vm_writev: { x64: 311, arm64: 271 },
  kcmp: { x64: 312, arm64: 272 },
  pidfd_getfd: { x64: 438, arm64: 438 },
  add_key: { x64: 248, arm64: 217 },
  request_key: { x64: 249, arm64: 218 },
  keyctl: { x64: 250, arm64: 219 },
  bpf: { x64: 321, arm64: 280 },
  perf_event_open: { x64: 298, arm64: 241 },
  userfaultfd: { x64: 323, arm64: 282 },
  // An io_uring can open sockets without the call `socket`.
  io_uring_setup: { x64: 425, arm64: 425 },
  io_uring_enter: { x64: 426, arm64: 426 },
  io_uring_register: { x64: 427, arm64: 427 },
  open_by_handle_at: { x64: 304, arm64: 265 },
  kexec_load: { x64: 246, arm64: 104 },
  kexec_file_load: { x64: 320, arm64: 294 },
  init_module: { x64: 175, arm64: 105 },
  finit_module: { x64: 313, arm64: 273 },
  delete_module: { x64: 176, arm64: 106 },
};

/** A call that sets the mode of a file: which arguments hold the mode, and the flags without which it means nothing. */
interface ModeCall {
  readonly x64?: number;
  readonly arm64?: number;
  readonly mode: number;
  readonly flags?: number;
}

const MODE_CALLS: Readonly<Record<string, ModeCall>> = {
  chmod: { x64: 90, mode: 1 },
  fchmod: { x64: 91, arm64: 52, mode: 1 },
  fchmodat: { x64: 268, arm64: 53, mode: 2 },
  fchmodat2: { x64: 452, arm64: 452, mode: 2 },
  open: { x64: 2, flags: 1, mode: 2 },
  openat: { x64: 257, arm64: 56, flags: 2, mode: 3 },
  creat: { x64: 85, mode: 1 },
  mknod: { x64: 133, mode: 1 },
  mknodat: { x64: 259, arm64: 33, mode: 2 },
};
/** Has its mode in memory, where no filter can look; programs know kernels without it. */
const OPENAT2: CallNumbers = { x64: 437, arm64: 437 };

/** S_ISUID and S_ISGID. */
const SPECIAL_MODES = 0o6000;
/** O_CREAT and the bit of O_TMPFILE. */
const CREATING_FLAGS = 0x40_0040;

const SOCKET: CallNumbers = { x64: 41, arm64: 198 };
/** AF_INET, AF_INET6, AF_NETLINK: programs look up addresses through netlink. */
const ALLOWED_FAMILIES = [2, 10, 16] as const;

const SOCKET_PAIR: CallNumbers = { x64: 53, arm64: 199 };
/** AF_UNIX, the only family whose pairs the kernel makes for ordinary programs. */
const PAIR_FAMILY = 1;
/** Of the type; the rest are flags. */
const TYPE_BITS = 0xf;
/**
 * SOCK_STREAM and SOCK_SEQPACKET stay connected to each other for good. A pair of datagram sockets, which SOCK_RAW
 * gives too, can send to any UNIX socket by its path or abstract name.
 */
const ALLOWED_PAIRS = [1, 5] as const;

const AUDIT_ARCHITECTURE: CallNumbers = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
/** Calls of the x32 interface carry this bit on x64. */
const X32_BIT = 0x4000_0000;

const LOAD_WORD = 0x20;
const KEEP_BITS = 0x54;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER_OR_EQUAL = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

const AT_CALL = 0;
const AT_ARCHITECTURE = 4;
/** Of the low half of an argument; modes, flags and families have no more. */
const atArgument = (index: number): number => 16 + 8 * index;

const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const REFUSE = 0x0005_0001; // SECCOMP_RET_ERRNO with EPERM
const UNKNOWN = 0x0005_0026; // SECCOMP_RET_ERRNO with ENOSYS

/** [code, jump if true, jump if false, value] */
type Instruction = readonly [number, number, number, number];

/** When the accumulator passes the test, leave with `verdict`; otherwise go on. */
const leaveIf = (test: number, value: number, verdict: number): readonly Instruction[] => [
  [test, 0, 1, value],
  [RETURN, 0, 0, verdict],
];

/** When the call is `number`, refuse it with a special mode and allow it otherwise. */
function judgeMode(number: number, { mode, flags }: ModeCall): readonly Instruction[] {
  const body: readonly Instruction[] = [
    [LOAD_WORD, 0, 0, atArgument(mode)],
    [JUMP_ANY_BIT, 0, 1, SPECIAL_MODES],
    [RETURN, 0, 0, REFUSE],
    [RETURN, 0, 0, ALLOW],
  ];
  const whenCreating: readonly Instruction[] =
    flags === undefined
      ? body
      : [[LOAD_WORD, 0, 0, atArgument(flags)], [JUMP_ANY_BIT, 0, body.length - 1, CREATING_FLAGS], ...body];
  return [[JUMP_EQUAL, 0, whenCreating.length, number], ...whenCreating];
}

/** When the call is `number`, allow pairs of sockets that reach nobody but each other. */
function judgePair(number: number): readonly Instruction[] {
  const body: readonly Instruction[] = [
    [LOAD_WORD, 0, 0, atArgument(0)],
    [JUMP_EQUAL, 1, 0, PAIR_FAMILY],
    [RETURN, 0, 0, REFUSE],
    [LOAD_WORD, 0, 0, atArgument(1)],
    [KEEP_BITS, 0, 0, TYPE_BITS],
    ...ALLOWED_PAIRS.flatMap((type) => leaveIf(JUMP_EQUAL, type, ALLOW)),
    [RETURN, 0, 0, REFUSE],
  ];
  return [[JUMP_EQUAL, 0, body.length, number], ...body];
}

function program(architecture: SeccompArchitecture): readonly Instruction[] {
  const families = ALLOWED_FAMILIES.flatMap((family) => leaveIf(JUMP_EQUAL, family, ALLOW));
  return [
    [LOAD_WORD, 0, 0, AT_ARCHITECTURE],
    [JUMP_EQUAL, 1, 0, AUDIT_ARCHITECTURE[architecture]],
    [RETURN, 0, 0, KILL_PROCESS],
    [LOAD_WORD, 0, 0, AT_CALL],
    ...(architecture === "x64" ? leaveIf(JUMP_GREATER_OR_EQUAL, X32_BIT, KILL_PROCESS) : []),
    ...Object.values(REFUSED_CALLS).flatMap((call) => leaveIf(JUMP_EQUAL, call[architecture], REFUSE)),
    ...leaveIf(JUMP_EQUAL, OPENAT2[architecture], UNKNOWN),
    ...Object.values(MODE_CALLS).flatMap((call) => {
      const number = call[architecture];
      return number === undefined ? [] : judgeMode(number, call);
    }),
    ...judgePair(SOCKET_PAIR[architecture]),
    [JUMP_EQUAL, 1, 0, SOCKET[architecture]],
    [RETURN, 0, 0, ALLOW],
    [LOAD_WORD, 0, 0, atArgument(0)],
    ...families,
    [RETURN, 0, 0, REFUSE],
  ];
}

/** The filter as bytes for `--seccomp`; `undefined` for a processor whose call numbers are not known here. */
export function seccompFilter(architecture: string): Uint8Array | undefined {
  if (architecture !== "x64" && architecture !== "arm64") return undefined;
  const instructions = program(architecture);
  const bytes = Buffer.alloc(instructions.length * 8);
  instructions.forEach(([code, whenTrue, whenFalse, value], index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  });
  return bytes;
}
