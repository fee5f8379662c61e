import { describe, expect, it } from "vitest";
import { leadAgentPrompt } from "./system-prompt.js";

describe("the lead agent's prompt", () => {
  it("says what of the network commands reach, and which variables they have", () => {
    const shell = { network: "Commands reach no network.", variables: ["API_KEY"] };
    const prompt = leadAgentPrompt({ clarification: false, shell });
    expect(prompt).toContain("Commands reach no network. These variables are set: API_KEY.");
    expect(prompt).not.toContain("{network}");
  });

  it("names the folders that the operator shows", () => {
    const mounts = [{ virtualPath: "/mnt/data", mode: "read-only" as const }];
    expect(leadAgentPrompt({ clarification: false, mounts })).toContain(
      "There are more folders:\n- `/mnt/data`: a folder of the operator's; it can only be read.",
    );
  });

  it("says that there is no shell where there is none", () => {
    expect(leadAgentPrompt({ clarification: false })).toContain("## No shell");
  });
});
