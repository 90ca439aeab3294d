import path from "node:path";
import { type ModelServer, type Served, startModelServer } from "@toolbus/model-servers";

/** A vendor as a person configures it: the environment variables, and the server that they lead to. */
export interface Vendor {
  readonly name: string;
  /** The product's name for the vendor. */
  readonly provider: string;
  /** Null if the model is a command on this machine. */
  readonly served: Served | null;
  env(server: ModelServer | null): Readonly<Record<string, string>>;
}

/** The command behind the provider `cli`. */
const COMMAND = path.resolve(import.meta.dirname, "model-command.ts");

const at = (server: ModelServer | null): ModelServer => {
  if (!server) throw new Error("this vendor has a server");
  return server;
};

/**
 * Returns the vendors for which a test run starts a whole system. The short test run starts only those whose protocols differ most. The long test run
 * starts all. Every adapter also has its own conformance suite.
 */
export function vendorsPlayed(): readonly Vendor[] {
  return process.env["LONG_PROOFS"] === undefined ? VENDORS.filter(({ name }) => ["anthropic", "openai", "cli"].includes(name)) : VENDORS;
}

/** Every provider, each with the least configuration that it needs. */
export const VENDORS: readonly Vendor[] = [
  vendor("anthropic", "anthropic", (s) => ({
    ANTHROPIC_API_KEY: s.key,
    LLM_BASE_URL: s.url,
    LLM_PROVIDER: "anthropic",
    LLM_MODEL: s.model,
  })),
  vendor("openai", "openai", (s) => ({ OPENAI_API_KEY: s.key, LLM_BASE_URL: s.url, LLM_PROVIDER: "openai", LLM_MODEL: s.model })),
  {
    ...vendor("openai", "openai", (s) => ({
      OPENAI_API_KEY: s.key,
      LLM_BASE_URL: s.url,
      LLM_PROVIDER: "openai",
      LLM_MODEL: s.model,
      LLM_API: "responses",
    })),
    name: "openai, responses",
  },
  vendor("openrouter", "openrouter", (s) => ({
    OPENROUTER_API_KEY: s.key,
    LLM_BASE_URL: s.url,
    LLM_PROVIDER: "openrouter",
    LLM_MODEL: s.model,
  })),
  vendor("ollama", "ollama", (s) => ({ LLM_PROVIDER: "ollama", OLLAMA_HOST: new URL(s.url).origin, LLM_MODEL: s.model })),
  vendor("compatible", "compatible", (s) => ({ LLM_BASE_URL: s.url, LLM_API_KEY: s.key, LLM_MODEL: s.model })),
  vendor("bedrock", "bedrock", (s) => ({
    LLM_PROVIDER: "bedrock",
    LLM_BASE_URL: s.url,
    LLM_MODEL: s.model,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "AKIDTOOLBUS",
    AWS_SECRET_ACCESS_KEY: s.key,
  })),
  { name: "cli", provider: "cli", served: null, env: () => ({ LLM_CLI_COMMAND: JSON.stringify([process.execPath, COMMAND]) }) },
];

/** Starts the vendor's server, if it has one. */
export async function serverOf({ served }: Vendor): Promise<ModelServer | null> {
  return served === null ? null : startModelServer(served);
}

function vendor(served: Served, provider: string, env: (server: ModelServer) => Readonly<Record<string, string>>): Vendor {
  return { name: served, provider, served, env: (server) => env(at(server)) };
}
