/**
 * Returns the exception for a status. The header `x-amzn-errortype` contains its type. Source: API_runtime_Converse.html, Errors, and CommonErrors.
 */
export function bedrockException(status: number, message: string): { readonly type: string; readonly message: string } {
  return { type: TYPES[status] ?? "InternalServerException", message };
}

const TYPES: Readonly<Record<number, string>> = {
  400: "ValidationException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  408: "ModelTimeoutException",
  424: "ModelErrorException",
  429: "ThrottlingException",
  500: "InternalServerException",
  503: "ServiceUnavailableException",
};
