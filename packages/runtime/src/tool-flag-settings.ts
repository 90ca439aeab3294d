import { str } from "./settings.ts";

/** The settings that switch tools off. The agent, which offers tools to runs, and the workers, which run them, read these settings. */
export const toolFlagSettings = {
  TOOLBUS_ENVIRONMENT: str({
    default: "local",
    desc: "the environment, e.g. staging; it selects the section of the flags file",
  }),
  TOOL_FLAGS: str({ default: "", desc: "feature flags of tools, e.g. issue_refund_enabled=false,other=true; they override the file" }),
  TOOL_FLAGS_FILE: str({ default: "", desc: "JSON file of feature flags by environment; read again when it changes" }),
} as const;
