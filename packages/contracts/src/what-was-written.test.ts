import { expect, test } from "vitest";
import { MAX_LISTED_WRITES, type RunWrites } from "./documents/agent.ts";
import { endedAfterWrites, whatWasWritten, withWrite } from "./what-was-written.ts";

const write = (tool: string, status: string, approvedBy?: string[]) => ({
  callId: `run_1.0.${tool}`,
  tool,
  status,
  ...(approvedBy ? { approvedBy } : {}),
});

test("a run that wrote nothing ends with its reason only", () => {
  expect(endedAfterWrites(undefined, "The model was gone.")).toBe("The model was gone.");
  expect(endedAfterWrites(withWrite(undefined, write("pay", "denied")), "The model was gone.")).toBe("The model was gone.");
});

test("the writes come first, with who approved them", () => {
  const writes = withWrite(undefined, write("restart_service", "ok", ["ana"]));
  expect(endedAfterWrites(writes, "The run used its 30 s of active time without an answer.")).toBe(
    "1 write happened: restart_service, approved by ana; then the run ended: The run used its 30 s of active time without an answer.",
  );
});

test("a write is named with its effect, where its tool has words for it", () => {
  const restart = { ...write("restart_service", "ok", ["ana"]), effect: "Restart the service pay." };
  expect(whatWasWritten(withWrite(undefined, restart))).toBe(
    "1 write happened: restart_service (Restart the service pay), approved by ana",
  );
});

test("two approvers, a policy and a write of unknown outcome are told apart", () => {
  let writes = withWrite(undefined, write("pay", "ok", ["ana", "bo"]));
  writes = withWrite(writes, write("note", "ok", ["policy"]));
  writes = withWrite(writes, write("mail", "outcome_unknown", ["ana"]));
  expect(whatWasWritten(writes)).toBe(
    "2 writes happened: pay, approved by ana and bo; note, allowed by policy; 1 write may have happened: mail, approved by ana",
  );
});

test("more writes than are listed are counted", () => {
  let writes: RunWrites | undefined;
  for (let n = 0; n < MAX_LISTED_WRITES + 3; n++) writes = withWrite(writes, write(`tool_${n}`, "ok"));
  expect(writes?.latest).toHaveLength(MAX_LISTED_WRITES);
  expect(whatWasWritten(writes)).toMatch(new RegExp(`^${MAX_LISTED_WRITES + 3} writes happened: tool_3; .*; 3 more before$`));
});
