/** The version of this Guildhall: that of package.json, which is not there in every installation. */
export const version = '0.1.0'
