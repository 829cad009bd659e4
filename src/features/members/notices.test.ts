/** Notices: who gets a mail about what happens in an organization, and who does not. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { selectWaiting } from '../../../test/queue.ts'
import { startSink, until } from '../../../test/smtp.ts'
import { createWorld, hurry, type Json, type Person, wakeWorkers } from '../../../test/world.ts'
import { runEverywhere } from '../../tasks.ts'

const world = await createWorld({ worker: true })
const { query } = world.postgres
const sink = await startSink()
after(() => sink.stop())
const mailing = await createWorld({
  worker: true,
  settings: { SMTP_URL: `smtp://127.0.0.1:${sink.port}`, MAIL_FROM: 'Guildhall <no-reply@guildhall.example>' },
})

/** The subjects of the mails to somebody, but for what asked them to verify or join, once the queue has done all it has to. */
async function noticesTo(person: Person): Promise<Json[]> {
  await until(async () => {
    await hurry(world.postgres)
    return (await query(selectWaiting)).length === 0
  }, 'the end of the queue')
  const mails = await world.mails(person.email)
  return mails.filter(({ subject }) => !/^Verify|invited you/.test(subject))
}

const subjectsTo = async (person: Person) => (await noticesTo(person)).map(({ subject }) => subject)

const named = async (person: Person, path: string, name: string) => (await person.patch(path, { name })).status

test('a removed member gets a mail, and one who leaves gets none', async () => {
  const { ann, ben, cleo, path, members } = await world.organization()
  assert.equal(await named(ann, path, 'Acme'), 200)

  await ann.delete(`${path}/members/${members.cleo.id}`)
  await ben.delete(`${path}/members/me`)

  const [notice, ...others] = await noticesTo(cleo)
  assert.equal(notice.subject, 'You are no longer a member of Acme')
  assert.match(notice.text, /You were removed from Acme on Guildhall\./)
  assert.deepEqual([others, await noticesTo(ann), await noticesTo(ben)], [[], [], []])
})

test('of an end that nears, only those are mailed who set it and are still there, or are admins of the tenant', async () => {
  const tess = await world.tenantAdmin()
  const { ann, ben, cleo, id, path, members } = await world.organization()
  assert.equal(await named(ann, path, 'Acme'), 200)
  const ends = new Date(Date.now() + 86_400_000).toISOString()
  const [eve, fay, gus] = [await world.person('Eve'), await world.person('Fay'), await world.person('Gus')]
  const end = async (by: Person, person: Person) => {
    const { id: member } = await world.join(ann, id, person)
    assert.equal((await by.patch(`${path}/members/${member}`, { expiresAt: ends })).status, 200)
  }
  await ann.patch(`${path}/members/${members.cleo.id}`, { role: 'admin' })
  await end(ann, eve)
  await end(ben, fay)
  await end(cleo, gus)
  const given = { userId: (await world.person('Hal')).id, expiresAt: ends }
  assert.equal((await tess.post(`/api/admin/organizations/${id}/members`, given)).status, 201)
  await ann.delete(`${path}/members/${members.ben.id}`)
  await ann.patch(`${path}/members/${members.cleo.id}`, { status: 'suspended' })

  await runEverywhere(world, 'settle')

  const told: boolean[] = []
  for (const person of [ann, tess, ben, cleo])
    told.push((await subjectsTo(person)).includes('A membership in Acme ends soon'))
  assert.deepEqual(told, [true, true, false, false])
})

test('a member who is removed by their own id has left, and gets no mail', async () => {
  const { cleo, path, members } = await world.organization()
  assert.equal((await cleo.delete(`${path}/members/${members.cleo.id}`)).status, 200)
  assert.deepEqual(await noticesTo(cleo), [])
})

test('a change of role sends a mail, unless members demote themselves or keep their role', async () => {
  const { ann, ben, cleo, path, members } = await world.organization()
  assert.equal(await named(ann, path, 'Acme'), 200)
  const setRole = (who: Person, member: Json, role: string) => who.patch(`${path}/members/${member.id}`, { role })

  await setRole(ann, members.cleo, 'member')
  await setRole(ben, members.ben, 'member')
  assert.deepEqual([await noticesTo(ann), await noticesTo(ben), await noticesTo(cleo)], [[], [], []])
  await setRole(ann, members.cleo, 'admin')

  const [notice, ...others] = await noticesTo(cleo)
  assert.equal(notice.subject, 'Your role in Acme is now admin')
  assert.match(notice.text, /^You are now an admin of Acme\n/)
  assert.deepEqual([others, await noticesTo(ann), await noticesTo(ben)], [[], [], []])
})

test('forty changes of a role send one mail about the last, and none if the role is unchanged in the end', async () => {
  const { ann, cleo, path, members } = await world.organization()
  assert.equal(await named(ann, path, 'Acme'), 200)
  const toggle = async (times: number) => {
    const { body } = await ann.get(`${path}/members/${members.cleo.id}`)
    for (let time = 0, role = body.role; time < times; time++) {
      role = role === 'member' ? 'admin' : 'member'
      assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, { role })).status, 200)
    }
  }

  await toggle(41)
  const [notice, ...others] = await noticesTo(cleo)
  assert.match(notice.text, /^You are now an admin of Acme\n/)
  assert.deepEqual(others, [])
  await toggle(40)
  assert.equal((await noticesTo(cleo)).length, 1, 'they are an admin still, which they know')
  await toggle(1)
  const [later, ...earlier] = await noticesTo(cleo)
  assert.match(later.text, /^You are now a member of Acme\n/)
  assert.equal(earlier.length, 1)
})

test('a member who changed their own role gets a mail about the next change by another', async () => {
  const { ann, ben, path, members } = await world.organization()
  assert.equal(await named(ann, path, 'Acme'), 200)
  const setRole = async (who: Person, role: string) =>
    assert.equal((await who.patch(`${path}/members/${members.ben.id}`, { role })).status, 200)

  await setRole(ann, 'owner')
  await setRole(ben, 'member')
  assert.deepEqual(await noticesTo(ben), [])
  await setRole(ann, 'admin')
  assert.equal((await noticesTo(ben)).length, 1)
})

test('a member who is removed before the mail about their role gets only the mail about the removal, even if they come back', async () => {
  const { ann, cleo, id, path, members } = await world.organization()
  assert.equal(await named(ann, path, 'Acme'), 200)
  const promote = (member: Json) => ann.patch(`${path}/members/${member.id}`, { role: 'admin' })

  assert.equal((await promote(members.cleo)).status, 200)
  assert.equal((await ann.delete(`${path}/members/${members.cleo.id}`)).status, 200)
  assert.deepEqual(await subjectsTo(cleo), ['You are no longer a member of Acme'])

  const back = await world.join(ann, id, cleo)
  assert.equal((await promote(back)).status, 200)
  assert.equal((await ann.delete(`${path}/members/${back.id}`)).status, 200)
  await world.join(ann, id, cleo)
  assert.ok(!(await subjectsTo(cleo)).some((subject) => subject.startsWith('Your role in Acme')))
})

/** An organization whose mails go to a mail server. Ann changes Cleo's role in it. */
async function openMailed() {
  const { ann, cleo, path, members } = await mailing.organization()
  const { query } = mailing.postgres
  const failed = 'select from graphile_worker.jobs where last_error is not null'
  const allDue = 'select graphile_worker.reschedule_jobs(array(select id from graphile_worker.jobs), run_at => now())'
  const setRole = async (role: string) =>
    assert.equal((await ann.patch(`${path}/members/${members.cleo.id}`, { role })).status, 200)
  return {
    /** Changes the role, and waits until the queue has done all it has to. */
    setRole: async (role: string) => {
      await setRole(role)
      await until(async () => {
        await query(allDue)
        await query(wakeWorkers)
        return (await query(selectWaiting)).length === 0
      }, 'the end of the queue')
    },
    /** Changes the role, and waits until the job that tells it has failed. */
    setRoleInVain: async (role: string) => {
      await setRole(role)
      await until(async () => {
        await hurry(mailing.postgres)
        return (await query(failed)).length > 0
      }, 'a failed job')
    },
    /** The roles that mails have told, in their order. */
    told: () =>
      sink.arrived
        .filter(({ recipients }) => recipients.includes(cleo.email))
        .flatMap(({ mail }) => /^You are now an? (\w+) of/.exec(mail.text ?? '')?.[1] ?? []),
  }
}

test('a mail about a role is sent if the role differs from the one in the last mail', async () => {
  const { setRole, told } = await openMailed()
  await setRole('admin')
  await setRole('member')
  assert.deepEqual(told(), ['admin', 'member'])
})

test('a mail about a role is followed by one about the change back, even if it is unknown whether it was accepted', async (t) => {
  const { setRole, setRoleInVain, told } = await openMailed()
  t.after(() => (sink.manner = 'take'))
  sink.manner = 'drop'
  await setRoleInVain('admin')
  sink.manner = 'take'
  await setRole('member')
  const withoutRepeats = told().filter((role, index, all) => role !== all[index - 1]) // it is sent again while it is unknown
  assert.deepEqual(withoutRepeats, ['admin', 'member'])
})

test('a mail about a role is sent once, even if it cannot be noted at first', async () => {
  const { setRole, setRoleInVain, told } = await openMailed()
  const { query } = mailing.postgres
  await query(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`)
  await query(
    `create trigger refuse before update on memberships for each row when (old.role = new.role) execute function refuse()`,
  )
  try {
    await setRoleInVain('admin')
  } finally {
    await query('drop function refuse cascade')
  }
  await setRole('admin')
  assert.deepEqual(told(), ['admin'])
})

test('an ownership that is transferred and given back forty times sends one mail to each of the two', async () => {
  const tess = await world.tenantAdmin()
  const { ann, ben, cleo, id, path, members } = await world.organization()
  assert.equal(await named(ann, path, 'Acme'), 200)
  const transfer = async (member: Json) => {
    const { status } = await tess.post(`/api/admin/organizations/${id}/transfer`, { memberId: member.id })
    assert.equal(status, 200)
  }

  for (let time = 0; time < 20; time++) {
    await transfer(members.ben)
    await transfer(members.ann)
  }
  const subjects = async (person: Person) => (await noticesTo(person)).map(({ subject }) => subject)
  assert.deepEqual(await subjects(ann), ['You are now an owner of Acme'])
  assert.equal((await subjects(ben)).length, 1)
  assert.deepEqual(await subjects(cleo), [])
})

test('the former owner gets a mail about the transfer, even if the new owner changes their role at once', async () => {
  const { ann, ben, path, members } = await world.organization()
  assert.equal((await ann.post(`${path}/transfer`, { memberId: members.ben.id })).status, 200)
  assert.equal((await ben.patch(`${path}/members/${members.ann.id}`, { role: 'member' })).status, 200)

  const texts = (await noticesTo(ann)).map(({ text }) => text)
  assert.ok(
    texts.some((text) => text.includes('transferred the ownership')),
    texts.join('\n'),
  )
})

test('owners and admins of a deleted organization get a mail; plain members and invited people do not', async () => {
  const tess = await world.tenantAdmin()
  for (const isByAdmin of [false, true]) {
    const { id, ann, ben, cleo, dan, slug, path } = await world.organization()
    assert.equal(await named(ann, path, 'Acme'), 200)
    await ann.post(`${path}/invites`, { email: dan.email })
    await noticesTo(dan)

    const way = isByAdmin ? `/api/admin/organizations/${id}` : path
    assert.equal((await (isByAdmin ? tess : ann).delete(way, { confirm: slug })).status, 200)

    for (const person of [ann, ben]) {
      const [notice, ...others] = await noticesTo(person)
      assert.equal(notice.subject, 'Acme was deleted')
      assert.match(notice.text, /The organization Acme on Guildhall was permanently deleted/)
      assert.deepEqual(others, [])
    }
    assert.deepEqual([await noticesTo(cleo), await noticesTo(dan), await noticesTo(tess)], [[], [], []])
    assert.deepEqual(
      await world.mails(dan.email).then((mails) => mails.filter(({ text }) => text.includes('Acme'))),
      [],
    )
  }
})

test('a transfer sends a mail that names its actor to both people, and to nobody else', async () => {
  const tess = await world.tenantAdmin()
  for (const isByAdmin of [false, true]) {
    const { id, ann, ben, cleo, path, members } = await world.organization()
    assert.equal(await named(ann, path, 'Acme'), 200)
    const way = isByAdmin ? `/api/admin/organizations/${id}` : path

    const { status } = await (isByAdmin ? tess : ann).post(`${way}/transfer`, { memberId: members.cleo.id })

    assert.equal(status, 200)
    const [toOld, ...more] = await noticesTo(ann)
    const [toNew, ...evenMore] = await noticesTo(cleo)
    assert.deepEqual([toOld.subject, toNew.subject], ['Acme has a new owner', 'You are now an owner of Acme'])
    const [giver, other] = isByAdmin ? Array(2).fill('An admin of Guildhall') : ['You', 'The previous owner']
    assert.match(toOld.text, /^You are now an admin of Acme\n/)
    assert.ok(toOld.text.includes(`${giver} transferred the ownership of Acme on Guildhall to another member.`))
    assert.match(toNew.text, /^You are now an owner of Acme\n/)
    assert.ok(toNew.text.includes(`${other} transferred the ownership of Acme on Guildhall to you.`))
    assert.deepEqual([more, evenMore, await noticesTo(ben), await noticesTo(tess)], [[], [], [], []])
  }
})

test('of a transfer by an admin of the tenant, the other owners get a mail that access was given', async () => {
  const tess = await world.tenantAdmin()
  const { id, ann, ben, cleo, dan, path, members } = await world.organization()
  assert.equal(await named(ann, path, 'Acme'), 200)
  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'owner' })
  for (const owner of [dan, tess]) await world.join(ann, id, owner, 'owner')

  const { status } = await tess.post(`/api/admin/organizations/${id}/transfer`, { memberId: members.cleo.id })

  assert.equal(status, 200)
  const isTold = async (person: Person) => (await subjectsTo(person)).includes('An admin gave access to Acme')
  assert.deepEqual([await isTold(ben), await isTold(dan)], [true, true])
  assert.deepEqual([await isTold(ann), await isTold(cleo), await isTold(tess)], [false, false, false])
})

test('names in these mails are inert: no link, no markup', async () => {
  const name = 'Acme <b>https://evil.example/x</b>, evil.example'
  const { ann, ben, cleo, dan, id, slug, path, members } = await world.organization()
  const people = [ann, ben, cleo, dan]
  assert.equal(await named(ann, path, name), 200)
  const member = await world.join(ann, id, dan)
  await ann.patch(`${path}/members/${members.ben.id}`, { role: 'member' })
  await ann.delete(`${path}/members/${member.id}`)
  await ann.post(`${path}/transfer`, { memberId: members.cleo.id })
  const before = (await Promise.all(people.map(noticesTo))).flat()
  assert.equal(before.length, 4)
  await cleo.delete(path, { confirm: slug })
  const after = (await Promise.all(people.map(noticesTo))).flat()
  assert.equal(
    after.length,
    2,
    'its mails go with an organization; who owned it or was an admin learns that it is gone',
  )

  for (const { subject, text, html } of [...before, ...after]) {
    for (const part of [subject, text, html]) assert.ok(!/evil\.example|https:\/\/evil/.test(part), part)
    assert.ok(!html.includes('<b>'), html)
    for (const part of [text, html]) assert.ok(part.includes('evil\u2060.\u2060example'), part)
    assert.ok(subject.length < 120)
  }
})

test("an unverified address gets no notice, because it may be somebody else's", async () => {
  const { ann, ben, cleo, path, members, slug } = await world.organization()
  const setRole = (member: Json, role: string) => ann.patch(`${path}/members/${member.id}`, { role })
  await query('update users set email_verified = false where id = any($1)', [[ben.id, cleo.id]])

  assert.equal((await setRole(members.cleo, 'admin')).status, 200)
  assert.equal((await ann.post(`${path}/transfer`, { memberId: members.ben.id })).status, 200)
  assert.deepEqual([await noticesTo(ben), await noticesTo(cleo)], [[], []])
  assert.equal((await ann.delete(`${path}/members/${members.cleo.id}`)).status, 200)
  assert.equal((await noticesTo(ann)).length, 1, 'of the transfer: hers is proven')
  await query('update users set email_verified = false where id = $1', [ann.id])
  assert.equal((await ben.delete(path, { confirm: slug })).status, 200)

  assert.deepEqual([await noticesTo(ann), await noticesTo(ben), await noticesTo(cleo)], [[], [], []])
})

test('owners get one mail if an admin of the tenant gives access within a minute, and none if nothing is given', async () => {
  const tess = await world.tenantAdmin()
  const { ann, ben, cleo, id, path, members } = await world.organization()
  assert.equal(await named(ann, path, 'Acme'), 200)
  const ofAdmin = `/api/admin/organizations/${id}`
  const change = async (body: object) => (await tess.patch(`${ofAdmin}/members/${members.cleo.id}`, body)).status
  const subject = 'An admin gave access to Acme'
  const told = async (person: Person) => (await subjectsTo(person)).filter((each) => each === subject)

  assert.deepEqual([await change({ status: 'suspended' }), await change({ role: 'member' })], [200, 200])
  assert.deepEqual(await told(ann), [])
  assert.equal(await change({ status: 'active' }), 200)
  const invites = [{ email: 'zoe@example.com' }, { email: 'zed@example.com' }]
  assert.equal((await tess.post(`${ofAdmin}/invites/bulk`, { invites })).status, 200)
  assert.equal((await tess.post(`${ofAdmin}/invites`, { email: 'zac@example.com' })).status, 201)

  assert.deepEqual([await told(ann), await told(ben), await told(cleo)], [[subject], [], []])
  const joined = await world.join(ann, id, tess)
  const own = await tess.patch(`${ofAdmin}/members/${joined.id}`, { role: 'owner' })
  assert.equal(own.status, 200)
  assert.deepEqual([await told(ann), await told(tess)], [[subject, subject], []])
})
