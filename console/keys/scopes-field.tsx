/** The choice of scopes, in groups. */
import { Checkbox, Input, Stack } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import classes from './keys.module.css'
import type { ScopeGroup } from './scopes.ts'

interface ScopesFieldProps {
  readonly groups: readonly ScopeGroup[]
  readonly label: string
  readonly description?: string
  /** Scopes that this key cannot have, and why. */
  readonly excluded?: { readonly keys: readonly string[]; readonly reason: string } | undefined
  /** The chosen scopes. */
  readonly value?: readonly string[]
  readonly onChange: (scopes: readonly string[]) => void
  readonly error?: ReactNode
  /** The form finds the field by it. */
  readonly 'data-path'?: string
}

export function ScopesField(props: ScopesFieldProps) {
  const { groups, label, description, excluded, value = [], onChange, error, 'data-path': path } = props
  const id = useId()
  /** In the order of the groups, so that choosing one and taking it back changes nothing. */
  const choose = (keys: ReadonlySet<string>) =>
    onChange(groups.flatMap(({ scopes }) => scopes.map(({ key }) => key)).filter((key) => keys.has(key)))
  return (
    <Stack gap="sm" role="group" aria-labelledby={`${id}-label`} aria-describedby={`${id}-description`}>
      <div>
        <Input.Label id={`${id}-label`} labelElement="div">
          {label}
        </Input.Label>
        <Input.Description id={`${id}-description`}>{description}</Input.Description>
        {error && (
          <Input.Error mt={4} role="alert">
            {error}
          </Input.Error>
        )}
      </div>
      {groups.map(({ group, label: name, scopes }, index) => (
        <fieldset key={group} className={classes.group}>
          <legend>{name}</legend>
          {scopes.map(({ key, name: scope, description: meaning }, place) => (
            <Checkbox
              key={key}
              label={scope}
              description={excluded?.keys.includes(key) ? excluded.reason : meaning}
              disabled={excluded?.keys.includes(key)}
              checked={value.includes(key)}
              onChange={({ currentTarget: { checked } }) => {
                const next = new Set(value)
                if (checked) next.add(key)
                else next.delete(key)
                choose(next)
              }}
              aria-invalid={(error !== undefined && error !== null && index + place === 0) || undefined}
              {...(index + place === 0 && { 'data-path': path })}
            />
          ))}
        </fieldset>
      ))}
    </Stack>
  )
}
