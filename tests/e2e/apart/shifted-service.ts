// A service whose clock is wrong by the amount in a file. The settings decide which service this process runs.
import { readFileSync } from "node:fs";

const shiftMs = Number(readFileSync(process.env["CLOCK_SHIFT_FILE"] ?? "", "utf8"));
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    // Without arguments, a new date is the shifted current time. With arguments, it is the given time.
    super(...((given.length === 0 ? [RealDate.now() + shiftMs] : given) as [number]));
  }

  static override now(): number {
    return RealDate.now() + shiftMs;
  }
}

// The clock is replaced before the service is loaded, so that no module uses the real clock.
globalThis.Date = ShiftedDate as DateConstructor;

const { env } = process;
if (env["AGENT_KEY_FILE"] !== undefined) await import("@toolbus/agent/main");
else if (env["APPROVALS_PORT"] !== undefined) await import("@toolbus/approvals/main");
else await import("@toolbus/tool-executor/main");
