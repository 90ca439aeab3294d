import { runMain } from "@toolbus/runtime";

// Stands in for a service, and reports the environment it was given.
await runMain(async () => {
  process.stdout.write(`${JSON.stringify(process.env)}\n`);
  return { stop: async () => true };
});
