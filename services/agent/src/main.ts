import { runMain, runServices } from "@toolbus/runtime";
import { agent } from "./service.ts";

await runMain(() => runServices([agent], { env: process.env }));
