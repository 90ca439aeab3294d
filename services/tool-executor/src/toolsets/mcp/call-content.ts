import type { CallToolResult } from "@modelcontextprotocol/client";
import { isJsonObject, type Json } from "@toolbus/contracts";
import type { ToolContext } from "@toolbus/tool-kit";

/** Keeps bytes with the result, and returns their name, or null if there is no room for them. */
export type Attach = ToolContext["attach"];

/** The longest text of one result that is passed on, in characters. The worker then truncates or stores a long result. */
const MAX_CHARS = 4 * 1024 * 1024;

/**
 * Returns the content of a server's result for the model. This is the structured content if there is any, otherwise the texts. Images, sounds and
 * files are kept for people with `attach`, and described for the model. Links are given by their address.
 */
export function contentOf(
  { structuredContent, content }: Pick<CallToolResult, "structuredContent" | "content">,
  attach: Attach = () => null,
): Json {
  if (structuredContent === undefined) return textOf(content, attach);
  const copy: Json = JSON.parse(JSON.stringify(structuredContent));
  if (!isJsonObject(copy) && !Array.isArray(copy)) return textOf(content, attach);
  // The texts beside structured content are the same content again. The other parts are not.
  const beside = content.filter((part) => part.type !== "text");
  return beside.length === 0 ? copy : `${JSON.stringify(copy)}\n${textOf(beside, attach)}`;
}

/** Returns the texts of a result, and a description of each other part on one line. */
export function textOf(content: CallToolResult["content"], attach: Attach = () => null): string {
  const text = content.map((part) => partOf(part, attach)).join("\n");
  return text.length > MAX_CHARS ? text.slice(0, MAX_CHARS).toWellFormed() : text;
}

function partOf(part: CallToolResult["content"][number], attach: Attach): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return `[${part.type} ${one(part.mimeType)}, ${keptOf(part.mimeType, part.data, attach)}]`;
    case "resource_link":
      return `[resource ${one(part.uri)}${part.name === "" ? "" : ` "${one(part.name)}"`}${part.mimeType === undefined ? "" : `, ${one(part.mimeType)}`}]`;
    case "resource": {
      const { resource } = part;
      const head = `[resource ${one(resource.uri)}${resource.mimeType === undefined ? "" : `, ${one(resource.mimeType)}`}`;
      return "text" in resource ? `${head}]\n${resource.text}` : `${head}, ${keptOf(resource.mimeType ?? "", resource.blob, attach)}]`;
    }
    default:
      return "[a part of an unknown kind]";
  }
}

function keptOf(mediaType: string, base64: string, attach: Attach): string {
  const bytes = Buffer.from(base64, "base64");
  // The parameters of a media type say nothing that a viewer needs.
  const blob = attach({ mediaType: mediaType.split(";")[0]?.trim() ?? "", bytes });
  return blob === null ? `${bytes.length} bytes, not kept` : `${bytes.length} bytes, kept for people as ${blob}`;
}

function one(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\]]+/g, " ").slice(0, 300);
}
