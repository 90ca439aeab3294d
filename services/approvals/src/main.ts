import { runMain, runServices } from "@toolbus/runtime";
import { approvals } from "./service.ts";

await runMain((signal) => runServices([approvals], { env: process.env, signal }));
