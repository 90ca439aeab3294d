import { runMain, runServices } from "@toolbus/runtime";
import { gateway } from "./service.ts";

await runMain((signal) => runServices([gateway], { env: process.env, signal }));
