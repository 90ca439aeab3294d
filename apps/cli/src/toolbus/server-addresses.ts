/** What is wrong with an address of a broker that was typed for `name`, in one sentence; null where nothing is. It is not repeated: it may hold a password. */
export function brokerFault(name: string, address: string): string | null {
  return /^(amqps?|nats|tls):\/\/./.test(address) && URL.canParse(address)
    ? null
    : `${name} takes the address of RabbitMQ or NATS: one that begins with amqp://, amqps://, nats:// or tls://.`;
}

/** The same for the address of a store that several processes share. */
export function storeFault(name: string, address: string): string | null {
  return /^rediss?:\/\/./.test(address) && URL.canParse(address)
    ? null
    : `${name} takes the address of Redis: one that begins with redis:// or rediss://.`;
}
