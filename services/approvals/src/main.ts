import { runMain, runServices } from "@toolbus/runtime";
import { approvals } from "./service.ts";

await runMain(() => runServices([approvals], { env: process.env }));
