import { DeerflowError } from "@deerflow/harness";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { answerOf } from "./errors.js";

describe("what a client is told of a failure", () => {
  it("is the sentence and the code of a named failure", () => {
    expect(answerOf(new DeerflowError("thread_missing", { threadId: "t" }), "r")).toEqual({
      status: 404,
      body: { detail: "There is no thread t.", code: "thread_missing" },
    });
  });

  it("names the key of a body that has the wrong shape", () => {
    const { error } = z.object({ limit: z.number() }).safeParse({ limit: "x" });
    expect(answerOf(error, "r")).toMatchObject({
      status: 422,
      body: { code: "invalid_request", detail: expect.stringContaining("limit: ") },
    });
  });

  it("tells nothing of the inside for anything else, but names the request", () => {
    const answer = answerOf(new Error("/home/me/secret.db is locked"), "r-1");
    expect(answer).toEqual({
      status: 500,
      body: {
        detail: "Something failed inside DeerFlow; the server's log says more.",
        code: "internal",
        request_id: "r-1",
      },
    });
  });
});
