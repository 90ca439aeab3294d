import { type Static, Type } from "./schema.ts";

// A key id appears in logs, so it must be printable ASCII.
const Kid = Type.String({ pattern: "^[\\x21-\\x7e]{1,200}$" });
const Bytes32 = Type.String({ pattern: "^[A-Za-z0-9_-]{43}$" });

/**
 * The body of `/.well-known/jwks.json`, and the content of the file that `JWKS_FILE` names. It lists public keys (RFC 7517). Unknown fields are
 * allowed, because readers use only the entries that they understand. Readers accept no signature by a key that is marked `revoked` or listed in
 * `revokedKids`.
 */
export const Jwks = Type.Object({
  keys: Type.Array(
    Type.Object({
      kty: Type.String(),
      crv: Type.Optional(Type.String()),
      x: Type.Optional(Type.String()),
      kid: Type.Optional(Type.String()),
      alg: Type.Optional(Type.String()),
      use: Type.Optional(Type.String()),
      revoked: Type.Optional(Type.Boolean()),
    }),
    { maxItems: 64 },
  ),
  revokedKids: Type.Optional(Type.Array(Type.String(), { maxItems: 1024 })),
});
export type Jwks = Static<typeof Jwks>;

/** A public Ed25519 key that verifies grants or receipts (RFC 8037, with the algorithm's name of RFC 9864). */
export const PublicJwk = Type.Object({
  kty: Type.Literal("OKP"),
  crv: Type.Literal("Ed25519"),
  x: Bytes32,
  kid: Kid,
  alg: Type.Optional(Type.Literal("Ed25519")),
  use: Type.Optional(Type.Literal("sig")),
});
export type PublicJwk = Static<typeof PublicJwk>;

/** A private signing key as its file contains it. `kid` is the RFC 7638 thumbprint of the public half. */
export const StoredSigningKey = Type.Object(
  {
    kty: Type.Literal("OKP"),
    crv: Type.Literal("Ed25519"),
    alg: Type.Literal("Ed25519"),
    use: Type.Literal("sig"),
    kid: Kid,
    x: Bytes32,
    d: Bytes32,
  },
  { additionalProperties: false },
);
export type StoredSigningKey = Static<typeof StoredSigningKey>;

/**
 * The content of the file that `SERVICE_KEYS_FILE` names. It lists the public keys of each service by its name (`gateway`, `agent`,
 * `worker.<toolset>`, `approvals`). During a key rotation it lists both the old and the new key.
 */
export const TrustedKeysFile = Type.Object({ services: Type.Record(Type.String({ minLength: 1, maxLength: 80 }), Jwks) });
export type TrustedKeysFile = Static<typeof TrustedKeysFile>;

/** The progress of a rotation of the file's keys. It is absent if no rotation is in progress. Only `toolbus keys rotate` reads and writes it. */
const Rotation = Type.Optional(Type.Enum(["verifying", "signing"]));

/**
 * The content of the file that `APPROVALS_SEAL_KEYS_FILE` names. The first key seals documents, and every key can check seals. All replicas have the
 * same file.
 */
export const SealKeysFile = Type.Object(
  {
    rotation: Rotation,
    keys: Type.Array(
      Type.Object({ kid: Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" }), secret: Bytes32 }, { additionalProperties: false }),
      { minItems: 1, maxItems: 16 },
    ),
  },
  { additionalProperties: false },
);
export type SealKeysFile = Static<typeof SealKeysFile>;

/** A file with several signing keys during a rotation. The first key signs. Only the public halves of the other keys are used. */
export const StoredSigningKeys = Type.Object(
  { rotation: Rotation, keys: Type.Array(StoredSigningKey, { minItems: 1, maxItems: 8 }) },
  { additionalProperties: false },
);
export type StoredSigningKeys = Static<typeof StoredSigningKeys>;
