// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; the contract has checked their shape
export type Json = any
