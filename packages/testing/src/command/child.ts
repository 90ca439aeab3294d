import { doTask, type Task } from "./task.ts";

// A process that does tasks for the command, one after another. It records no stacks, because collecting the stack of an error in a simulated process
// costs more than the error itself.
Error.stackTraceLimit = 0;

process.on("message", (task: Task) => {
  doTask(task).then(
    (done) => process.send?.({ ok: true, done }),
    (error: unknown) => process.send?.({ ok: false, message: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
process.on("disconnect", () => process.exit(0));
