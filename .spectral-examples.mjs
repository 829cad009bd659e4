/**
 * Examples of bodies and answers fit their schemas. Spectral's own rule also follows each reference to a shared answer, and then takes three
 * times as long as all other rules together. All answers of 400 and above are shared, and this rule looks at them once, where they are defined.
 */
import { oas } from '@stoplight/spectral-rulesets'

const name = 'oas3-valid-media-example'
const hasExample = '[?(@ && @.schema && (@.example !== void 0 || @.examples))]'

// biome-ignore lint/style/noDefaultExport: Spectral reads a ruleset so
export default {
  rules: {
    [name]: {
      ...oas.rules[name],
      given: [
        `$.components.responses[*][content,headers]${hasExample}`,
        `$.components[headers,parameters]${hasExample}`,
        `$.paths[*][*].parameters${hasExample}`,
        `$.paths[*][*].requestBody.content${hasExample}`,
        `$.paths[*][*].responses[?(@property < '400')][content,headers]${hasExample}`,
      ],
    },
  },
}
