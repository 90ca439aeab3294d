import { runMain, runServices } from "@toolbus/runtime";
import { gateway } from "./service.ts";

await runMain(() => runServices([gateway], { env: process.env }));
