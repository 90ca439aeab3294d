import { str } from "./settings.ts";

/** Which tools are switched off where: read by the agent, which offers tools to runs, and by the workers, which run them. */
export const toolFlagSettings = {
  TOOLBUS_ENVIRONMENT: str({
    default: "local",
    desc: "names the environment, e.g. staging: the section of the flags file that holds here",
  }),
  TOOL_FLAGS: str({ default: "", desc: "feature flags of tools, e.g. issue_refund_enabled=false,other=true; they outweigh the file" }),
  TOOL_FLAGS_FILE: str({ default: "", desc: "JSON file of feature flags by environment; read again when it changes" }),
} as const;
