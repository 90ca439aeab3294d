import { topics } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { asks, bundle } from "../testing/test-bundle.ts";

describe("a call of a tool with a refused definition, in a run that began with it", () => {
  it.each(["look", "change"])("is answered as switched off, with where it is refused and why, and %s is sent to nobody", async (name) => {
    const b = bundle({ parameters: { type: "object", $async: true } });
    await b.start();
    await b.sent();
    await b.turn([asks(name)]);
    expect((await b.call(0)).result).toMatchObject({
      error: {
        code: "tool_disabled",
        message: expect.stringMatching(
          new RegExp(`^"${name}@1" is quarantined: its definition is refused at /parameters/\\$async\\. .+ Go on without it\\.$`),
        ),
      },
    });
    expect((await b.sent()).map(({ topic }) => topic)).toEqual([topics.runWake]);
  });
});
