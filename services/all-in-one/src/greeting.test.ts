import { expect, it } from "vitest";
import { greeting } from "./greeting.ts";

const started = {
  gatewayUrl: "http://127.0.0.1:8080",
  approvalsUrl: "http://127.0.0.1:8081",
  keys: { made: false },
  directory: "/data",
  model: "offline rules",
  releaseId: "v1.2.0",
  notes: [],
  command: "./toolbus --data '/data'",
  where: [],
} as unknown as Parameters<typeof greeting>[0];

it("the greeting proposes commands for this Toolbus, which a shell reads as they are meant", () => {
  for (const words of ["doctor", 'chat "hello"', "investigate v1.2.0", "approvals list"])
    expect(greeting(started)).toMatch(new RegExp(`^  \\./toolbus --data '/data' ${words} `, "m"));
  expect(greeting(started)).toMatch(/chat "hello" +lists the tools/);
  expect(greeting({ ...started, model: "big of openai" })).toMatch(/chat "hello" +talks to the model/);
  expect(greeting({ ...started, releaseId: "v1;reboot" })).toContain("investigate 'v1;reboot' ");
});
