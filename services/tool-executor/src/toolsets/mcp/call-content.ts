import type { CallToolResult } from "@modelcontextprotocol/client";
import { isJsonObject, type Json } from "@toolbus/contracts";

/** The longest text of one result that is passed on, in characters. The worker then truncates or stores a long result. */
const MAX_CHARS = 4 * 1024 * 1024;

/**
 * Returns the content of a server's result for the model. This is the structured content if there is any, otherwise the texts. Images, sounds and
 * files are described, not copied. Links are given by their address.
 */
export function contentOf({ structuredContent, content }: Pick<CallToolResult, "structuredContent" | "content">): Json {
  if (structuredContent !== undefined) {
    const copy: Json = JSON.parse(JSON.stringify(structuredContent));
    if (isJsonObject(copy) || Array.isArray(copy)) return copy;
  }
  return textOf(content);
}

/** Returns the texts of a result, and a description of each other part on one line. */
export function textOf(content: CallToolResult["content"]): string {
  const text = content.map(partOf).join("\n");
  return text.length > MAX_CHARS ? text.slice(0, MAX_CHARS).toWellFormed() : text;
}

function partOf(part: CallToolResult["content"][number]): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return `[${part.type} ${one(part.mimeType)}, ${bytesOf(part.data)} bytes, not shown]`;
    case "resource_link":
      return `[resource ${one(part.uri)}${part.name === "" ? "" : ` "${one(part.name)}"`}${part.mimeType === undefined ? "" : `, ${one(part.mimeType)}`}]`;
    case "resource": {
      const { resource } = part;
      const head = `[resource ${one(resource.uri)}${resource.mimeType === undefined ? "" : `, ${one(resource.mimeType)}`}`;
      return "text" in resource ? `${head}]\n${resource.text}` : `${head}, ${bytesOf(resource.blob)} bytes, not shown]`;
    }
    default:
      return "[a part of an unknown kind]";
  }
}

function one(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\]]+/g, " ").slice(0, 300);
}

function bytesOf(base64: string): number {
  return Math.floor((base64.length * 3) / 4);
}
