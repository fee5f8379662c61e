/** The table of the demo task, as a file to upload. */
import table from "./sample-sales.csv?raw";

export const sampleFile = (): File => new File([table], "sales.csv", { type: "text/csv" });
