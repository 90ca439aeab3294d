import { runMain, runServices } from "@toolbus/runtime";
import { agent } from "./service.ts";

await runMain((signal) => runServices([agent], { env: process.env, signal }));
