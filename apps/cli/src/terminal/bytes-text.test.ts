import { expect, it } from "vitest";
import { bytesText } from "./bytes-text.js";

it("names sizes in the unit that a person reads them in", () => {
  const sizes = [0, 999, 1000, 1500, 999_949, 999_999, 3_400_000, 2e9, 5e12, 5e15];
  expect(sizes.map(bytesText)).toEqual([
    "0 B",
    "999 B",
    "1.0 kB",
    "1.5 kB",
    "999.9 kB",
    "1.0 MB",
    "3.4 MB",
    "2.0 GB",
    "5.0 TB",
    "5000.0 TB",
  ]);
});
