/**
 * Returns the fault of a broker address as one sentence, or null if it is valid. The sentence names `name`, not the address,
 * which may contain a password.
 */
export function brokerFault(name: string, address: string): string | null {
  return /^(amqps?|nats|tls):\/\/./.test(address) && URL.canParse(address)
    ? null
    : `${name} needs the address of RabbitMQ or NATS, which begins with amqp://, amqps://, nats:// or tls://.`;
}

/** Returns the fault of the address of a shared store as one sentence, or null if it is valid. */
export function storeFault(name: string, address: string): string | null {
  return /^rediss?:\/\/./.test(address) && URL.canParse(address)
    ? null
    : `${name} needs the address of Redis, which begins with redis:// or rediss://.`;
}
