import { runMain } from "@toolbus/runtime";

// Stands in the place of a service, and tells what it was given.
await runMain(async () => {
  process.stdout.write(`${JSON.stringify(process.env)}\n`);
  return { stop: async () => true };
});
