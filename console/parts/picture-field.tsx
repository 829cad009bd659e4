/** The field for a picture: choose a file, look at it, upload it; or remove the picture. It saves by itself, apart from the form around it. */
import { Button, FileButton, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useTenant } from '../tenants/tenant.ts'
import { wordsOf } from '../texts/refusals.ts'
import classes from './picture.module.css'
import { Picture } from './picture.tsx'
import { type ChosenPicture, readPictureFile, UnreadablePicture } from './picture-file.ts'
import { pictureShown } from './picture-url.ts'

interface PictureFieldProps {
  readonly label: string
  readonly hint: string
  readonly url: string | null
  /** Whose picture it is: for the initials and their tint. */
  readonly name: string
  readonly id: string
  readonly shape: 'round' | 'square'
  readonly upload: (picture: Blob) => Promise<unknown>
  readonly remove: () => Promise<unknown>
}

const size = 72

export function PictureField({ label, hint, url, name, id, shape, upload, remove }: PictureFieldProps) {
  const { t } = useTranslation()
  const { remotePictures } = useTenant()
  const labelId = useId()
  const [chosen, setChosen] = useState<ChosenPicture>()
  const [said, setSaid] = useState('')
  const first = useRef<HTMLButtonElement>(null)
  const resetInput = useRef<() => void>(null)
  const choosing = useMutation({ mutationFn: readPictureFile, meta: { shows: true }, onSuccess: setChosen })
  const saving = useMutation({
    mutationFn: (work: () => Promise<unknown>) => work(),
    meta: { shows: true },
    onSuccess: () => setChosen(undefined),
  })
  /** The buttons change with what is there; the focus stays among them. It moves when the new ones are there, however late that is. */
  const [acts, setActs] = useState(0)
  const refocus = () => setActs((count) => count + 1)
  useLayoutEffect(() => {
    if (acts > 0) first.current?.focus()
  }, [acts])
  const save = (work: () => Promise<unknown>, done: string) => {
    setSaid('')
    choosing.reset()
    saving.mutate(work, {
      onSuccess: () => {
        setSaid(done)
        refocus()
      },
    })
  }
  const error = saving.error ?? choosing.error
  const isElsewhere = url !== null && pictureShown(url, remotePictures) === null
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset lays its legend out in a way of its own
    <div role="group" aria-labelledby={labelId} className={classes.field}>
      <div className={classes.shown} data-shape={shape}>
        {chosen ? (
          <Preview canvas={chosen.canvas} label={t('general.picture.preview')} />
        ) : (
          <Picture url={url} name={name} id={id} size={size} shape={shape} />
        )}
      </div>
      <div className={classes.words}>
        <Text id={labelId} fz="sm" fw={500}>
          {label}
        </Text>
        <Text fz="xs" c="dimmed">
          {isElsewhere ? t('general.picture.elsewhere') : hint}
        </Text>
        <Group gap="xs" mt="xs">
          {chosen ? (
            <>
              <Button
                ref={first}
                size="xs"
                loading={saving.isPending}
                onClick={() => save(() => upload(chosen.blob), t('general.picture.uploaded'))}
              >
                {t('general.picture.use')}
              </Button>
              <Button
                size="xs"
                variant="default"
                onClick={() => {
                  setChosen(undefined)
                  saving.reset()
                  refocus()
                }}
              >
                {t('general.cancel')}
              </Button>
            </>
          ) : (
            <>
              <FileButton
                accept="image/*"
                resetRef={resetInput}
                onChange={(file) => {
                  if (!file) return
                  resetInput.current?.() // otherwise a browser says nothing when the same file is chosen again
                  setSaid('')
                  saving.reset()
                  choosing.mutate(file, { onSuccess: refocus })
                }}
              >
                {(props) => (
                  <Button {...props} ref={first} size="xs" variant="default" loading={choosing.isPending}>
                    {url === null ? t('general.picture.choose') : t('general.picture.chooseAnother')}
                  </Button>
                )}
              </FileButton>
              {url !== null && (
                <Button
                  size="xs"
                  variant="subtle"
                  loading={saving.isPending}
                  onClick={() => save(remove, t('general.picture.removed'))}
                >
                  {t('general.picture.remove')}
                </Button>
              )}
            </>
          )}
        </Group>
        <div role="status">
          {said !== '' && (
            <Text fz="xs" mt="xs">
              {said}
            </Text>
          )}
        </div>
        {error !== null && (
          <p role="alert" className={classes.fault}>
            {error instanceof UnreadablePicture ? t(`general.picture.${error.fault}`) : faultInWords(error)}
          </p>
        )}
      </div>
    </div>
  )
}

function faultInWords(error: unknown): string {
  const { title, detail } = wordsOf(error)
  return detail ?? title
}

/** A canvas shows what no image may: the policy of the page lets none in that the service does not serve. */
function Preview({ canvas, label }: { readonly canvas: HTMLCanvasElement; readonly label: string }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    canvas.style.width = `${size}px`
    canvas.style.height = `${size}px`
    place.current?.replaceChildren(canvas)
  }, [canvas])
  return <div ref={place} role="img" aria-label={label} />
}
