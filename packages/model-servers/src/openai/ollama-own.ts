import type { Json } from "@toolbus/contracts";
import { objectOf, textOf } from "../wire/fields.ts";
import type { Arrived, Plain } from "../wire/protocol.ts";
import type { ChatVendor } from "./chat-vendor.ts";

/**
 * Answers Ollama's own endpoints for the models, the version and the abilities of a model. Returns null for any other path. Source:
 * docs.ollama.com/api.
 */
export function ollamaOwn({ method, path, body }: Arrived, { model }: ChatVendor): Plain | null {
  const details = {
    parent_model: "",
    format: "gguf",
    family: "qwen3",
    families: ["qwen3"],
    parameter_size: "8.2B",
    quantization_level: "Q4_K_M",
  };
  switch (`${method} ${path}`) {
    case "GET /":
      return plain("Ollama is running");
    case "GET /api/version":
      return plain({ version: "0.16.1" });
    case "GET /api/tags":
      return plain({
        models: [{ name: model, model, modified_at: "2026-01-01T00:00:00Z", size: 5_200_000_000, digest: "0".repeat(64), details }],
      });
    case "POST /api/show": {
      const asked = textOf(objectOf(body)["model"]) || textOf(objectOf(body)["name"]);
      if (asked !== model)
        return { ...plain({ error: `model '${asked}' not found` }), status: 404, refusal: `model exists: model '${asked}' not found` };
      const info = { "general.architecture": "qwen3", "qwen3.context_length": 40_960 };
      return plain({
        license: "",
        modelfile: "",
        parameters: "",
        template: "",
        details,
        model_info: info,
        capabilities: ["completion", "tools", "thinking"],
      });
    }
    default:
      return null;
  }
}

function plain(body: Json): Plain {
  return { kind: "plain", status: 200, body };
}
