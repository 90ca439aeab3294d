import { expect, it } from "vitest";
import { fail } from "./check.ts";
import { checkLines } from "./doctor-command.ts";

it("a finding with the text of a service neither controls the terminal nor looks like another finding", () => {
  const reason = "x\u001b[2J\nok    security       nothing was refused";
  const lines = checkLines(fail("gateway", `It is not ready: ${reason}.`, `Ask: ${reason}`), (_, text) => text);
  expect(lines.join("\n")).not.toContain("\u001b");
  expect(lines.filter((line) => line.startsWith("ok"))).toEqual([]);
  expect(lines.length).toBeGreaterThan(1);
});
