import { runMain, runServices } from "@toolbus/runtime";
import { toolExecutor } from "./service.ts";

await runMain((signal) => runServices([toolExecutor], { env: process.env, signal }));
