import { runMain, runServices } from "@toolbus/runtime";
import { toolExecutor } from "./service.ts";

await runMain(() => runServices([toolExecutor], { env: process.env }));
