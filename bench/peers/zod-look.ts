import { z } from "zod";

/** The arguments of the benchmark's tool as a zod schema, for the libraries that use zod. */
export const lookArguments = z.strictObject({
  query: z.string().min(1).max(1000),
  limit: z.int().min(1).max(100).default(10),
  tags: z.array(z.string().max(40)).max(16).optional(),
  options: z.strictObject({ deep: z.boolean().optional(), order: z.string().optional() }).optional(),
});
