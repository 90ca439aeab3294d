import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Arrived } from "../wire/protocol.ts";

/** The fields of an `Authorization` header of AWS Signature Version 4. */
export interface Signed {
  readonly keyId: string;
  readonly date: string;
  readonly region: string;
  readonly service: string;
  readonly headers: readonly string[];
  readonly signature: string;
}

export function readSignature(authorization: string): Signed | null {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const [, keyId = "", date = "", region = "", service = "", headers = "", signature = ""] = form.exec(authorization) ?? [];
  return keyId === "" ? null : { keyId, date, region, service, headers: headers.split(";"), signature };
}

/**
 * Returns true if the request was signed with this secret. Source:
 * docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html.
 */
export function signatureHolds(request: Arrived, signed: Signed, secret: string): boolean {
  const scope = `${signed.date}/${signed.region}/${signed.service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", request.headers["x-amz-date"] ?? "", scope, sha256(canonicalRequest(request, signed.headers))].join(
    "\n",
  );
  const keys = [signed.date, signed.region, signed.service, "aws4_request"];
  const key = keys.reduce<Buffer>((last, part) => createHmac("sha256", last).update(part).digest(), Buffer.from(`AWS4${secret}`));
  return timingSafeEqual(createHmac("sha256", key).update(text).digest(), Buffer.from(signed.signature, "hex"));
}

function canonicalRequest({ method, rawPath, query, headers, text }: Arrived, signed: readonly string[]): string {
  const pairs = [...query].map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).sort();
  return [
    method,
    // Outside S3, the signature covers the path encoded twice, so the encoded path of the request is encoded again.
    rawPath.split("/").map(encodeURIComponent).join("/"),
    pairs.join("&"),
    ...signed.map((name) => `${name}:${(headers[name] ?? "").trim().replace(/ +/g, " ")}`),
    "",
    signed.join(";"),
    headers["x-amz-content-sha256"] ?? sha256(text),
  ].join("\n");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
