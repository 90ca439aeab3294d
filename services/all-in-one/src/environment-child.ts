import { runMain } from "@toolbus/runtime";

// Replaces a service in a test, and prints the environment that it was given.
await runMain(async () => {
  process.stdout.write(`${JSON.stringify(process.env)}\n`);
  return { stop: async () => true };
});
