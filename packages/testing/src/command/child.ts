import { doTask, type Task } from "./task.ts";

// A process that does pieces of work for the command, one after the other, until it is told that there are no more.
// A stack of a fault that a simulated process runs into costs more than the fault.
Error.stackTraceLimit = 0;

process.on("message", (task: Task) => {
  doTask(task).then(
    (done) => process.send?.({ ok: true, done }),
    (error: unknown) => process.send?.({ ok: false, message: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
process.on("disconnect", () => process.exit(0));
