import './descriptions/companies.js'
import './descriptions/domains.js'
import './descriptions/earlier-versions.js'
import './descriptions/errors.js'
import './descriptions/resolutions.js'

export { fieldTextsOf, namedShapes, type FieldText } from './descriptions/describe.js'
export { routeTexts } from './descriptions/routes.js'
