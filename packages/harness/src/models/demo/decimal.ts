/** Exact decimal numbers as whole units of 10^-18, so that sums of money come out right. */

const PLACES = 18;
/** Decimals of money. */
const MONEY = 2;
/** The number one, in units. */
export const ONE = 10n ** BigInt(PLACES);
const POINT = /^([+-]?)(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,2}))?$/;
const COMMA = /^([+-]?)(\d+|\d{1,3}(?:\.\d{3})+)(?:,(\d+))?$/;
const SURELY_COMMA = /^[+-]?[\d.]*\d,(?:\d{1,2}|\d{4,})$/;

export type DecimalStyle = "point" | "comma";

/** `comma` when a cell can only be a decimal comma, as 12,50 can. */
export const decimalStyle = (cells: readonly string[]): DecimalStyle =>
  cells.some((cell) => SURELY_COMMA.test(cell)) ? "comma" : "point";

/** The number in `text`, in units; `undefined` when it is none. */
export function toUnits(text: string, style: DecimalStyle): bigint | undefined {
  const match = (style === "comma" ? COMMA : POINT).exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  const digits = BigInt(whole.replaceAll(/[.,]/g, "") + fraction);
  const power = PLACES - fraction.length + Number(exponent);
  const units = power >= 0 ? digits * 10n ** BigInt(power) : digits / 10n ** BigInt(-power);
  return sign === "-" ? -units : units;
}

/** How many decimals a number is written with, up to 18; 0 for what is no number. */
export function decimalsOf(text: string, style: DecimalStyle): number {
  const [, , , fraction = "", exponent = "0"] = (style === "comma" ? COMMA : POINT).exec(text) ?? [];
  return Math.min(PLACES, Math.max(0, fraction.length - Number(exponent)));
}

/** Units as plain decimal text with at least `decimals` decimals and no further trailing zeros. */
export function fromUnits(units: bigint, decimals = 0): string {
  const size = units < 0n ? -units : units;
  const digits = (size % ONE).toString().padStart(PLACES, "0").replace(/0+$/, "");
  const fraction = digits.padEnd(decimals, "0");
  return `${units < 0n ? "-" : ""}${size / ONE}${fraction === "" ? "" : `.${fraction}`}`;
}

/** The mean of `count` numbers, rounded half away from zero: to cents for money, else to at most four decimals. */
export function meanOf(sum: bigint, count: number, decimals = 0): string {
  const step = 10n ** BigInt(PLACES - (decimals === MONEY ? MONEY : 4));
  const divisor = BigInt(count) * step;
  const size = sum < 0n ? -sum : sum;
  const rounded = ((size * 2n + divisor) / (divisor * 2n)) * step;
  return fromUnits(sum < 0n ? -rounded : rounded, decimals === MONEY ? MONEY : 0);
}
