import { str } from "./settings.ts";

/** The setting that names the stamp of the deployment. The agent and the workers compare themselves with the stamp when they start. */
export const stampSettings = {
  REGISTRY_STAMP_FILE: str({
    default: "",
    desc: 'the stamp of the deployment that "toolbus tools stamp" made; a process that differs from it takes no work; empty: none',
  }),
} as const;
