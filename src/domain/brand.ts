// A value that one constructor made, told apart from every other value of the same shape.

declare const brand: unique symbol;

export type Brand<Base, Name extends string> = Base & { readonly [brand]: Name };
