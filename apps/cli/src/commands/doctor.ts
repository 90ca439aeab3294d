import type { Command } from "commander";
import type { Define } from "../toolbus/command.ts";
import { addresses } from "../toolbus/global-options.ts";

/** Declares `toolbus doctor`, which shows what works and how to fix what does not. */
export function addDoctor(program: Command, define: Define): void {
  define(program, {
    name: "doctor",
    summary: "check that everything works, and say how to fix what does not",
    more: "One line for each check: ok, warn or fail. Exits with 1 when one fails. It changes nothing.",
    audience: "gateway",
    reads: "models",
    examples: ["toolbus doctor", "toolbus doctor --json", "toolbus doctor --timeout 10s"],
    run: async (context, command) => {
      const { health } = command.opts<{ health?: string }>();
      const urls = addresses("--health", health, "TOOLBUS_HEALTH_URLS", context.around.env["TOOLBUS_HEALTH_URLS"]);
      return (await import("../doctor/doctor-command.ts")).doctor(context, urls);
    },
  }).option(
    "--health <addresses>",
    "the health ports of agents and workers as well, with commas: http://agent:9000,http://worker:9000 (TOOLBUS_HEALTH_URLS)",
  );
}
