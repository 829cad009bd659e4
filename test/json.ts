// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely; the contract has checked their shape
export type Json = any
