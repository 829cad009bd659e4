/** Made by `npm run docs` from openapi.json. */
export interface paths {
    "/api/users/me/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get audit log
         * @description What the caller did and what was done to them, newest first.
         */
        get: operations["listMyAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/deletion-impact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What deleting would do
         * @description What goes when the caller deletes their account, and what stands in the way of it.
         */
        get: operations["getDeletionImpact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get active devices
         * @description Where you are signed in, newest activity first; all of them at once.
         */
        get: operations["listDevices"];
        put?: never;
        post?: never;
        /**
         * End all other sessions
         * @description The caller’s own session stays. Links that were mailed before stop working.
         */
        delete: operations["endOtherDevices"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/devices/{deviceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke device session
         * @description The next request of that device is refused. The current one may be ended too.
         */
        delete: operations["endDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get current user
         * @description The caller, with everything that only they and the tenant’s admins see.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        /**
         * Delete account
         * @description Permanent. Organizations whose only member is the caller go with the account.
         */
        delete: operations["deleteMe"];
        options?: never;
        head?: never;
        /**
         * Update profile
         * @description What is absent stays as it is; null clears.
         */
        patch: operations["updateMe"];
        trace?: never;
    };
    "/api/users/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change password
         * @description Ends all sessions but the one that is used, which stays as it is.
         */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/undo-email-change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo email change
         * @description With the token mailed to the old address, for 72 hours. The account has that address again; every session ends, and the password is switched off until a reset, whose link is mailed there at once.
         */
        post: operations["undoEmailChange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/verify-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify email
         * @description Needs a session of the person to whom the mail went. A link to a new address puts it in the place of the present one. An invitation’s token verifies its address too.
         */
        post: operations["verifyEmail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/verify-email/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send verification again
         * @description The links sent before stop working.
         */
        post: operations["resendVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/end-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a session from a mail
         * @description With the token of the mail about a new device, for seven days. Ends the session, those that were started on the same device or from the same network since, and so on from each of them; all of these count as unknown again. It works once, also when the session has ended meanwhile.
         */
        post: operations["endSessionFromMail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/forgot-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Forgot password
         * @description If the address is that of an active user, a link goes there that lets them choose a new password, for 30 minutes. The same answer in the same time whether it is or not.
         */
        post: operations["forgotPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset password
         * @description With the token of a mail that lets one choose a password. Verifies the address that it went to, cancels a pending one, ends every session, and signs nobody in.
         */
        post: operations["resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in
         * @description The same answer in the same time whether the account exists or not, but for one that was imported with another product’s hash of its password: until that hash is replaced, as a rule at the first sign-in, it takes its own time.
         */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out
         * @description Ends the session that is used. Without one there is nothing to do, and the answer is the same.
         */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/auth/sign-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign up
         * @description A mail with a link that verifies the address goes out, unless too many were asked for already: then it can be sent later. With the token of an invitation’s mail the invited address is verified on the spot.
         */
        post: operations["signUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List user organizations
         * @description The organizations that the caller is in, sorted by name.
         */
        get: operations["listOrganizations"];
        put?: never;
        /**
         * Create organization
         * @description The caller becomes its owner, and so an admin of it. Whoever owns as many as `MAX_ORGANIZATIONS` says creates no more; organizations that others hand on to them are not refused.
         */
        post: operations["createOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get organization
         * @description For its members. To everybody else it does not exist.
         */
        get: operations["getOrganization"];
        put?: never;
        post?: never;
        /**
         * Delete organization
         * @description Permanent: members, invitations, log, everything.
         */
        delete: operations["deleteOrganization"];
        options?: never;
        head?: never;
        /**
         * Update organization
         * @description What is absent stays as it is; null clears.
         */
        patch: operations["updateOrganization"];
        trace?: never;
    };
    "/api/organizations/{orgId}/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Organization audit
         * @description What happened in the organization, newest first.
         */
        get: operations["listOrganizationAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List members
         * @description Everybody in the organization, in the order in which they joined unless `sort` says otherwise.
         */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/members/{memberId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get member
         * @description Anybody in the organization, by the id of their membership.
         */
        get: operations["getMember"];
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description An admin removes others; anybody may leave (`me` stands for the caller’s own membership).
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Change a member’s role
         * @description Nobody touches someone above them, nor grants a role above their own.
         */
        patch: operations["updateMember"];
        trace?: never;
    };
    "/api/organizations/{orgId}/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transfer ownership
         * @description The member becomes an owner and the caller an admin, in one step. Both get a mail.
         */
        post: operations["transferOwnership"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/organizations/{orgId}/transfer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Transfer an organization’s ownership
         * @description For tenant admins, whether or not they are in it. The member becomes an owner; of the owners, the one who joined first becomes an admin, even if suspended. Both get a mail.
         */
        post: operations["transferTenantOrganization"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invites/{inviteId}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See an invitation
         * @description What the page behind the mailed link shows. Does not spend the token.
         */
        post: operations["previewInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invites/{inviteId}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept invitation
         * @description The caller becomes a member. Accepting again while that membership exists gives the same answer.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/invites/{inviteId}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decline invitation
         * @description For the invited person alone. Somebody has to invite again to change that.
         */
        post: operations["declineInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invitations
         * @description Newest first.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite member
         * @description A mail with a link goes out; the link lives for seven days.
         */
        post: operations["inviteMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/invites/{inviteId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get invitation
         * @description In any state. Its link is in the mail alone.
         */
        get: operations["getInvitation"];
        put?: never;
        post?: never;
        /**
         * Revoke invitation
         * @description Its link stops working. Only a pending invitation can be revoked.
         */
        delete: operations["revokeInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/users/me/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * My invitations
         * @description What is pending for the caller’s email address, newest first; nothing until it is verified.
         */
        get: operations["listMyInvitations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/organizations/{orgId}/invites/{inviteId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend invitation
         * @description A new link and seven more days; the links sent before stop working. The caller becomes the inviter.
         */
        post: operations["resendInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description Every user of the tenant, for its admins; the newest first unless `sort` says otherwise.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Create user
         * @description A mail goes out with a link, good for seven days, by which the person sets a password.
         */
        post: operations["createUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One user
         * @description Any user of the tenant, for its admins.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        /**
         * Delete user
         * @description Permanent. Organizations whose only member is the user go with the account.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /**
         * Update user
         * @description What is absent stays as it is; `appMetadata` is merged. Suspending ends every session, spends the links that were mailed to the user, and revokes the invitations that they sent.
         */
        patch: operations["updateUser"];
        trace?: never;
    };
    "/api/admin/organizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tenant’s organizations
         * @description Every organization of the tenant, for its admins; by name unless `sort` says otherwise.
         */
        get: operations["listTenantOrganizations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/organizations/{orgId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One organization of the tenant
         * @description Any organization of the tenant, for its admins; `role` is null, whether or not they are in it.
         */
        get: operations["getTenantOrganization"];
        put?: never;
        post?: never;
        /**
         * Delete an organization of the tenant
         * @description Permanent: members, invitations, log, everything. Its owners and admins get a mail.
         */
        delete: operations["deleteTenantOrganization"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/organizations/{orgId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Members of an organization of the tenant
         * @description Everybody in it, for the tenant’s admins, who need not be: to see whom it could be transferred to.
         */
        get: operations["listTenantOrganizationMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/tenant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The tenant of a request
         * @description What a sign-in page must know: how the tenant looks, and who may sign up.
         */
        get: operations["getTenant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/tenant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tenant settings
         * @description Slug, domains, sender, base URL and origins are the operator’s; tenant admins read them.
         */
        get: operations["getTenantSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update tenant settings
         * @description What is absent stays as it is; null clears the logo or the colour. It holds from the next request on.
         */
        patch: operations["updateTenantSettings"];
        trace?: never;
    };
    "/api/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tenant audit
         * @description Every entry of the tenant, newest first, with where it came from.
         */
        get: operations["listTenantAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{userId}/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A user’s devices
         * @description Where the user is signed in, newest activity first; all of them at once.
         */
        get: operations["listUserDevices"];
        put?: never;
        post?: never;
        /**
         * End all of a user’s sessions
         * @description Every one, the caller’s own too if it is theirs. Links that were mailed to the user stop working.
         */
        delete: operations["endUserDevices"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/admin/users/{userId}/devices/{deviceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a user’s device session
         * @description The next request of that device is refused.
         */
        delete: operations["endUserDevice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make the first admin
         * @description With the one-time token that the start of the service, or `guildhall tenant create`, printed.
         */
        post: operations["setUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/mailbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the local mailbox
         * @description Exists only while no SMTP server is set and the service is reachable on this machine alone. Newest first.
         */
        get: operations["listMails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process lives
         * @description Answers as long as the process can answer at all, without asking the database.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether requests can be served
         * @description Off while the database cannot be asked, and while the service stops.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description What went wrong (RFC 9457). Go by `code`. */
        Problem: {
            /** Format: uri */
            type: string;
            title: string;
            /** Format: int32 */
            status: number;
            /** @enum {string} */
            code: "invalid_request" | "malformed_json" | "invalid_id" | "invalid_cursor" | "https_required" | "ambiguous_credentials" | "unauthenticated" | "cross_site" | "not_found" | "method_not_allowed" | "request_in_progress" | "version_mismatch" | "too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "internal" | "unavailable" | "tenant_mismatch" | "confirmation_mismatch" | "invalid_credentials" | "forbidden" | "role_above_yours" | "wrong_password" | "user_suspended" | "sign_up_closed" | "email_domain_not_allowed" | "invitation_for_another_email" | "email_not_verified" | "sign_in_required" | "email_taken" | "slug_taken" | "already_a_member" | "already_invited" | "already_owner" | "already_verified" | "invitation_not_pending" | "last_owner" | "last_admin" | "sole_owner" | "limit_reached" | "invitation_expired" | "invitation_revoked" | "invitation_declined" | "invitation_used" | "token_spent" | "too_many_attempts" | "overloaded";
            detail: string;
            instance: string;
            requestId: string;
            /** @description Everything that is wrong, with `invalid_request`. */
            errors?: {
                /** @description A JSON pointer into the body, or `?name` for a query parameter. Empty for the body as a whole, and for a header, which `detail` names. */
                pointer: string;
                /** @enum {string} */
                code: "required" | "unknown_field" | "wrong_type" | "too_short" | "too_long" | "out_of_range" | "invalid_format" | "not_allowed" | "common_password" | "contains_identity";
                detail: string;
            }[];
            /** @description With `already_invited`. */
            invitationId?: string;
            /** @description With `rate_limited`: the limit, as `RateLimit-Policy` names it. */
            policy?: string;
            /** @description With `sole_owner`: the organizations that would be left without an owner. */
            organizations?: {
                id: string;
                name: string;
                slug: string;
            }[];
        };
        /** @description An entry of the audit log: who did what to whom, and when. */
        AuditEntry: {
            /**
             * @description The id of an audit entry: `aud_` and 26 letters and digits.
             * @example aud_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            occurredAt: string;
            /** @enum {string} */
            action: "user.signed_up" | "user.created" | "user.suspended" | "user.reactivated" | "user.role_changed" | "user.deleted" | "session.started" | "session.refused" | "session.revoked" | "session.signed_out" | "email.verified" | "email.change_requested" | "email.changed" | "email.change_undone" | "password.changed" | "password.reset_requested" | "password.reset" | "password.switched_off" | "profile.updated" | "organization.created" | "organization.updated" | "organization.deleted" | "organization.ownership_transferred" | "invitation.sent" | "invitation.resent" | "invitation.accepted" | "invitation.declined" | "invitation.revoked" | "member.joined" | "member.role_changed" | "member.removed" | "member.left" | "tenant.created" | "tenant.updated" | "tenant.imported";
            actor: {
                /** @enum {string} */
                type: "user" | "operator" | "system" | "anonymous" | "deleted_user";
                /** @example user_01k9zq3v5hf8gs4m2y7c6t0wdn */
                id: string | null;
                /** @example Ann */
                name: string | null;
            };
            target: {
                /** @enum {string} */
                type: "user" | "organization" | "invitation" | "tenant" | "deleted_user";
                /** @example user_01k9zq3v5hf8gs4m2y7c6t0wdn */
                id: string | null;
                /** @example Ann */
                name: string | null;
            };
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            organizationId: string | null;
            /** @example 203.0.113.7 */
            ip: string | null;
            /** @example Chrome on macOS */
            device: string | null;
            requestId: string | null;
            /** @description Old and new values of what changed. */
            details: {
                [key: string]: unknown;
            } | null;
        };
        /** @description A user, as they and the tenant’s admins see them. */
        User: {
            /**
             * @description The id of a user: `user_` and 26 letters and digits.
             * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @example ann@example.com */
            email: string;
            emailVerified: boolean;
            /** @description An address that is still to be verified. */
            pendingEmail: string | null;
            /**
             * Format: name
             * @example Ann
             */
            name: string | null;
            /**
             * Format: https-url
             * @example https://example.com/logo.png
             */
            avatarUrl: string | null;
            /**
             * Format: locale
             * @description A language tag (BCP 47).
             * @example en-GB
             */
            locale: string | null;
            /**
             * Format: time-zone
             * @description The IANA name of a time zone.
             * @example Europe/Berlin
             */
            timeZone: string | null;
            /**
             * @description A JSON object of your own, at most 8 KiB and five levels deep.
             * @example {
             *       "plan": "team"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * @description A JSON object of your own, at most 8 KiB and five levels deep.
             * @example {
             *       "plan": "team"
             *     }
             */
            appMetadata: {
                [key: string]: unknown;
            };
            /**
             * @example user
             * @enum {string}
             */
            role: "admin" | "user";
            /** @enum {string} */
            status: "active" | "suspended";
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            updatedAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            lastActiveAt: string | null;
        };
        /** @description A session: a device on which somebody is signed in. */
        Device: {
            /**
             * @description The id of a device: `dev_` and 26 letters and digits.
             * @example dev_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @example Chrome on macOS */
            name: string;
            /** @example Chrome */
            browser: string | null;
            /** @example macOS */
            os: string | null;
            /** @enum {string} */
            type: "desktop" | "mobile" | "tablet" | "tv" | "bot" | "other";
            /** @example 203.0.113.7 */
            ip: string | null;
            /** @description Whether this is the session that asks. */
            current: boolean;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            lastActiveAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            expiresAt: string;
        };
        /** @description The user, and the session that was started. */
        SignedIn: {
            user: components["schemas"]["User"];
            session: {
                /**
                 * @description Absent when the session is a cookie.
                 * @example ghs_01k9zq3v5hf8gs4m2y7c6t0wdn.…
                 */
                token?: string;
                device: components["schemas"]["Device"];
            };
        };
        /** @description It is deleted for good. */
        Deleted: {
            deleted: boolean;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            deletedAt: string;
        };
        /** @description An organization, and the caller’s role in it. */
        Organization: {
            /**
             * @description The id of an organization: `org_` and 26 letters and digits.
             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /**
             * @description Lower-case letters, digits and hyphens, with no hyphen at an end.
             * @example acme
             */
            slug: string;
            /**
             * Format: name
             * @example Acme
             */
            name: string;
            /**
             * Format: https-url
             * @example https://example.com/logo.png
             */
            logoUrl: string | null;
            /**
             * @description A JSON object of your own, at most 8 KiB and five levels deep.
             * @example {
             *       "plan": "team"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: int32
             * @example 3
             */
            memberCount: number;
            /** @enum {string|null} */
            role: "member" | "admin" | "owner" | null;
            /** @description Everything that the caller’s role counts as. */
            roles: ("member" | "admin" | "owner")[];
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        /** @description A user, as others see them. */
        Person: {
            /**
             * @description The id of a user: `user_` and 26 letters and digits.
             * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /**
             * Format: name
             * @example Ann
             */
            name: string | null;
        };
        /** @description A membership: a user in an organization, with a role. */
        Member: {
            /**
             * @description The id of a membership: `mem_` and 26 letters and digits.
             * @example mem_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            user: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                id: string;
                /**
                 * Format: name
                 * @example Ann
                 */
                name: string | null;
                /** @example ann@example.com */
                email: string;
                /**
                 * Format: https-url
                 * @example https://example.com/logo.png
                 */
                avatarUrl: string | null;
                /** @enum {string} */
                status: "active" | "suspended";
            };
            /** @enum {string} */
            role: "member" | "admin" | "owner";
            /** @description Everything that the role counts as. */
            roles: ("member" | "admin" | "owner")[];
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            joinedAt: string;
            invitedBy: components["schemas"]["Person"] | null;
        };
        /** @description An invitation to an organization. Its link is in the mail alone. */
        Invitation: {
            /**
             * @description The id of an invitation: `inv_` and 26 letters and digits.
             * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            organization: {
                /**
                 * @description The id of an organization: `org_` and 26 letters and digits.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                id: string;
                /**
                 * Format: name
                 * @example Acme
                 */
                name: string;
                /** @example acme */
                slug: string;
                /**
                 * Format: https-url
                 * @example https://example.com/logo.png
                 */
                logoUrl: string | null;
            };
            /**
             * @description Null once its owner has deleted their account.
             * @example bob@example.com
             */
            email: string | null;
            /** @enum {string} */
            role: "member" | "admin" | "owner";
            /** @enum {string} */
            status: "pending" | "accepted" | "declined" | "revoked" | "expired";
            invitedBy: components["schemas"]["Person"] | null;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            expiresAt: string;
        };
        /** @description A tenant, as whoever comes to it sees it. */
        Tenant: {
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @example shop */
            slug: string;
            /**
             * Format: name
             * @example The Shop
             */
            name: string;
            brand: {
                /**
                 * Format: https-url
                 * @example https://example.com/logo.png
                 */
                logoUrl: string | null;
                /** @example #0f766e */
                color: string | null;
            };
            /** @enum {string} */
            signUp: "open" | "invited_only" | "closed";
            /**
             * Format: int32
             * @description In characters.
             */
            passwordMinimum: number;
            /** @description Whether pages may show pictures that other servers hold. */
            remotePictures: boolean;
        };
        /** @description A tenant with everything that is set for it. */
        TenantSettings: {
            /**
             * @description The id of a tenant: `ten_` and 26 letters and digits.
             * @example ten_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @example shop */
            slug: string;
            /**
             * Format: name
             * @example The Shop
             */
            name: string;
            brand: {
                /**
                 * Format: https-url
                 * @example https://example.com/logo.png
                 */
                logoUrl: string | null;
                /** @example #0f766e */
                color: string | null;
            };
            /** @enum {string} */
            signUp: "open" | "invited_only" | "closed";
            /** @description Of those who sign up, are invited or change their address; empty: any. Each stands for itself alone. */
            allowedEmailDomains: string[];
            /**
             * Format: int32
             * @description In characters.
             */
            passwordMinimum: number;
            /**
             * Format: int32
             * @example 1209600
             */
            sessionIdleSeconds: number;
            /**
             * Format: int32
             * @example 2592000
             */
            sessionAbsoluteSeconds: number;
            /**
             * Format: int32
             * @example 34560000
             */
            auditRetentionSeconds: number;
            /** @description Whether pages may show pictures that other servers hold. */
            remotePictures: boolean;
            domains: string[];
            /** @example The Shop <hello@example.com> */
            mailFrom: string | null;
            /** @example https://accounts.example.com */
            baseUrl: string | null;
            allowedOrigins: string[];
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            updatedAt: string;
        };
        /** @description A mail that was kept instead of sent. */
        Mail: {
            /**
             * @description The id of a mail: `mail_` and 26 letters and digits.
             * @example mail_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @example ann@example.com */
            to: string;
            /** @example Ann invited you to Acme */
            subject: string;
            /** @example Follow this link: … */
            text: string;
            /** @example <p>Follow this link: …</p> */
            html: string;
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            sentAt: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listMyAudit: {
        parameters: {
            query?: {
                /** @description How many items a page has at most. */
                limit?: number;
                /** @description The `nextCursor` of the page before, with the same filters. Good for 24 hours. */
                cursor?: string;
                /** @description Entries of these actions: a comma list, in which `password.*` stands for the whole family. */
                action?: ("user.signed_up" | "user.created" | "user.suspended" | "user.reactivated" | "user.role_changed" | "user.deleted" | "session.started" | "session.refused" | "session.revoked" | "session.signed_out" | "email.verified" | "email.change_requested" | "email.changed" | "email.change_undone" | "password.changed" | "password.reset_requested" | "password.reset" | "password.switched_off" | "profile.updated" | "organization.created" | "organization.updated" | "organization.deleted" | "organization.ownership_transferred" | "invitation.sent" | "invitation.resent" | "invitation.accepted" | "invitation.declined" | "invitation.revoked" | "member.joined" | "member.role_changed" | "member.removed" | "member.left" | "tenant.created" | "tenant.updated" | "tenant.imported" | "user.*" | "session.*" | "email.*" | "password.*" | "profile.*" | "organization.*" | "invitation.*" | "member.*" | "tenant.*")[];
                /** @description Entries at or after this time. */
                from?: string;
                /** @description Entries before this time. */
                to?: string;
                /**
                 * @description Entries of the organization with this id.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                organizationId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditEntry"][];
                        /** @description Give it back as `cursor` for the next page; null on the last one. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    getDeletionImpact: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What would go, and what stands in the way. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What goes: live sessions, memberships, and invitations that are pending. */
                        counts: {
                            /**
                             * Format: int32
                             * @example 3
                             */
                            sessions: number;
                            /**
                             * Format: int32
                             * @example 3
                             */
                            memberships: number;
                            /**
                             * Format: int32
                             * @example 3
                             */
                            invitationsSent: number;
                            /**
                             * Format: int32
                             * @example 3
                             */
                            invitationsReceived: number;
                        };
                        /** @description They go with the account: nobody else is in them. */
                        deletedOrganizations: {
                            /**
                             * @description The id of an organization: `org_` and 26 letters and digits.
                             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                             */
                            id: string;
                            /**
                             * Format: name
                             * @example Acme
                             */
                            name: string;
                            /**
                             * @description Lower-case letters, digits and hyphens, with no hyphen at an end.
                             * @example acme
                             */
                            slug: string;
                        }[];
                        /** @description The account stays while the caller is their only owner and others are in them. */
                        blockingOrganizations: {
                            /**
                             * @description The id of an organization: `org_` and 26 letters and digits.
                             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                             */
                            id: string;
                            /**
                             * Format: name
                             * @example Acme
                             */
                            name: string;
                            /**
                             * @description Lower-case letters, digits and hyphens, with no hyphen at an end.
                             * @example acme
                             */
                            slug: string;
                            /**
                             * Format: int32
                             * @example 3
                             */
                            memberCount: number;
                            /** @description Active members to whom it could be transferred: admins first, then whoever joined first; at most 20. */
                            candidates: components["schemas"]["Member"][];
                        }[];
                        /** @description True when the tenant has no other active admin: then the account stays. */
                        isLastAdmin: boolean;
                    };
                };
            };
        };
    };
    listDevices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Device"][];
                        nextCursor: null;
                    };
                };
            };
        };
    };
    endOtherDevices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many sessions were ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: int32 */
                        endedSessions: number;
                    };
                };
            };
        };
    };
    endDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a device: `dev_` and 26 letters and digits.
                 * @example dev_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A session: a device on which somebody is signed in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Device"];
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A user, as they and the tenant’s admins see them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    deleteMe: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of what the caller has seen: refused where it was changed since.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: password
                     * @example correct horse battery staple
                     */
                    password: string;
                };
            };
        };
        responses: {
            /** @description It is deleted for good. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    updateMe: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of what the caller has seen: refused where it was changed since.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ann"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @example Ann
                     */
                    name?: string | null;
                    /**
                     * Format: https-url
                     * @example https://example.com/logo.png
                     */
                    avatarUrl?: string | null;
                    /**
                     * Format: locale
                     * @description A language tag (BCP 47).
                     * @example en-GB
                     */
                    locale?: string | null;
                    /**
                     * Format: time-zone
                     * @description The IANA name of a time zone.
                     * @example Europe/Berlin
                     */
                    timeZone?: string | null;
                    /**
                     * @description A JSON object of your own, at most 8 KiB and five levels deep.
                     * @example {
                     *       "plan": "team"
                     *     }
                     */
                    metadata?: {
                        [key: string]: unknown;
                    };
                    /**
                     * Format: email
                     * @description Becomes `pendingEmail` until the link mailed there is opened. The present address cancels a pending one.
                     * @example ann@example.com
                     */
                    email?: string;
                    /**
                     * Format: password
                     * @description Needed with `email`, and only with it.
                     * @example correct horse battery staple
                     */
                    currentPassword?: string;
                };
            };
        };
        responses: {
            /** @description A user, as they and the tenant’s admins see them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "currentPassword": "correct horse battery staple",
                 *       "newPassword": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: password
                     * @example correct horse battery staple
                     */
                    currentPassword: string;
                    /**
                     * Format: password
                     * @description From the tenant’s minimum to 256 characters; nothing is trimmed, no kinds of characters are asked for.
                     * @example correct horse battery staple
                     */
                    newPassword: string;
                };
            };
        };
        responses: {
            /** @description How many other sessions were ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: int32 */
                        endedSessions: number;
                    };
                };
            };
        };
    };
    undoEmailChange: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant that the request is about, where neither host nor token says it. Else `default`. */
                "Guildhall-Tenant"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The part of the mailed link after `#token=`: `ghm_` and 97 more characters.
                     * @example ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The account has the address again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    verifyEmail: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant that the request is about, where neither host nor token says it. Else `default`. */
                "Guildhall-Tenant"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The part of the mailed link after `#token=`: `ghm_` and 97 more characters.
                     * @example ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The address that is verified. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example ann@example.com */
                        email: string;
                        emailVerified: boolean;
                    };
                };
            };
        };
    };
    resendVerification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A mail goes out. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    endSessionFromMail: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant that the request is about, where neither host nor token says it. Else `default`. */
                "Guildhall-Tenant"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The part of the mailed link after `#token=`: `ghm_` and 97 more characters.
                     * @example ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The session is ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    forgotPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant that the request is about, where neither host nor token says it. Else `default`. */
                "Guildhall-Tenant"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.com"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @example ann@example.com
                     */
                    email: string;
                };
            };
        };
        responses: {
            /** @description Whatever is to be done is done later. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant that the request is about, where neither host nor token says it. Else `default`. */
                "Guildhall-Tenant"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0",
                 *       "newPassword": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The part of the mailed link after `#token=`: `ghm_` and 97 more characters.
                     * @example ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    token: string;
                    /**
                     * Format: password
                     * @description From the tenant’s minimum to 256 characters; nothing is trimmed, no kinds of characters are asked for.
                     * @example correct horse battery staple
                     */
                    newPassword: string;
                };
            };
        };
        responses: {
            /** @description The password is set. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant that the request is about, where neither host nor token says it. Else `default`. */
                "Guildhall-Tenant"?: string;
                /** @description The session’s token comes as a cookie instead of in the body. */
                "Guildhall-Session"?: "cookie";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.com",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @example ann@example.com
                     */
                    email: string;
                    /**
                     * Format: password
                     * @example correct horse battery staple
                     */
                    password: string;
                };
            };
        };
        responses: {
            /** @description The user, and the session that was started. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant that the request is about, where neither host nor token says it. Else `default`. */
                "Guildhall-Tenant"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description There is no session any more. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    signUp: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant that the request is about, where neither host nor token says it. Else `default`. */
                "Guildhall-Tenant"?: string;
                /** @description The session’s token comes as a cookie instead of in the body. */
                "Guildhall-Session"?: "cookie";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.com",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @example ann@example.com
                     */
                    email: string;
                    /**
                     * Format: password
                     * @description From the tenant’s minimum to 256 characters; nothing is trimmed, no kinds of characters are asked for.
                     * @example correct horse battery staple
                     */
                    password: string;
                    /**
                     * Format: name
                     * @example Ann
                     */
                    name?: string;
                    /**
                     * @description The part of the mailed link after `#token=`: `ghm_` and 97 more characters.
                     * @example ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    invitationToken?: string;
                };
            };
        };
        responses: {
            /** @description The user, and the session that was started. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    listOrganizations: {
        parameters: {
            query?: {
                /** @description How many items a page has at most. */
                limit?: number;
                /** @description The `nextCursor` of the page before, with the same filters. Good for 24 hours. */
                cursor?: string;
                /** @description Prefix of the name or the slug, letters taken literally. */
                query?: string;
                /** @description Organizations in which the caller has this role. */
                role?: "member" | "admin" | "owner";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Organization"][];
                        /** @description Give it back as `cursor` for the next page; null on the last one. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    createOrganization: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of the caller’s own making, new for each request, of up to 255 characters. The same request sent again with it within 24 hours has no further effect, and gets the same answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @example Acme
                     */
                    name: string;
                    /**
                     * @description Lower-case letters, digits and hyphens, with no hyphen at an end.
                     * @example acme
                     */
                    slug?: string;
                    /**
                     * Format: https-url
                     * @example https://example.com/logo.png
                     */
                    logoUrl?: string | null;
                    /**
                     * @description A JSON object of your own, at most 8 KiB and five levels deep.
                     * @example {
                     *       "plan": "team"
                     *     }
                     */
                    metadata?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description An organization, and the caller’s role in it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An organization, and the caller’s role in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    deleteOrganization: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of what the caller has seen: refused where it was changed since.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "confirm": "acme"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The slug of the organization.
                     * @example acme
                     */
                    confirm: string;
                };
            };
        };
        responses: {
            /** @description It is deleted for good. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    updateOrganization: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of what the caller has seen: refused where it was changed since.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @example Acme
                     */
                    name?: string;
                    /**
                     * @description Lower-case letters, digits and hyphens, with no hyphen at an end.
                     * @example acme
                     */
                    slug?: string;
                    /**
                     * Format: https-url
                     * @example https://example.com/logo.png
                     */
                    logoUrl?: string | null;
                    /**
                     * @description A JSON object of your own, at most 8 KiB and five levels deep.
                     * @example {
                     *       "plan": "team"
                     *     }
                     */
                    metadata?: {
                        [key: string]: unknown;
                    };
                };
            };
        };
        responses: {
            /** @description An organization, and the caller’s role in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    listOrganizationAudit: {
        parameters: {
            query?: {
                /** @description How many items a page has at most. */
                limit?: number;
                /** @description The `nextCursor` of the page before, with the same filters. Good for 24 hours. */
                cursor?: string;
                /** @description Entries of these actions: a comma list, in which `password.*` stands for the whole family. */
                action?: ("user.signed_up" | "user.created" | "user.suspended" | "user.reactivated" | "user.role_changed" | "user.deleted" | "session.started" | "session.refused" | "session.revoked" | "session.signed_out" | "email.verified" | "email.change_requested" | "email.changed" | "email.change_undone" | "password.changed" | "password.reset_requested" | "password.reset" | "password.switched_off" | "profile.updated" | "organization.created" | "organization.updated" | "organization.deleted" | "organization.ownership_transferred" | "invitation.sent" | "invitation.resent" | "invitation.accepted" | "invitation.declined" | "invitation.revoked" | "member.joined" | "member.role_changed" | "member.removed" | "member.left" | "tenant.created" | "tenant.updated" | "tenant.imported" | "user.*" | "session.*" | "email.*" | "password.*" | "profile.*" | "organization.*" | "invitation.*" | "member.*" | "tenant.*")[];
                /** @description Entries at or after this time. */
                from?: string;
                /** @description Entries before this time. */
                to?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditEntry"][];
                        /** @description Give it back as `cursor` for the next page; null on the last one. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** @description How many items a page has at most. */
                limit?: number;
                /** @description The `nextCursor` of the page before, with the same filters. Good for 24 hours. */
                cursor?: string;
                /** @description Prefix of the name or the email address, letters taken literally. */
                query?: string;
                /** @description Members with this role. */
                role?: "member" | "admin" | "owner";
                /** @description What they are sorted by; `-` for descending. */
                sort?: "joinedAt" | "name" | "email" | "-joinedAt" | "-name" | "-email";
            };
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Member"][];
                        /** @description Give it back as `cursor` for the next page; null on the last one. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    getMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: string;
                /**
                 * @description The id of a membership: `mem_` and 26 letters and digits.
                 * @example mem_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A membership: a user in an organization, with a role. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: string;
                /**
                 * @description The id of a membership, or `me` for the caller’s own.
                 * @example me
                 */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A membership: a user in an organization, with a role. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: string;
                /**
                 * @description The id of a membership: `mem_` and 26 letters and digits.
                 * @example mem_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "member"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    role: "member" | "admin" | "owner";
                };
            };
        };
        responses: {
            /** @description A membership: a user in an organization, with a role. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    transferOwnership: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of the caller’s own making, new for each request, of up to 255 characters. The same request sent again with it within 24 hours has no further effect, and gets the same answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "memberId": "mem_01k9zq3v5hf8gs4m2y7c6t0wdn"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The id of a membership: `mem_` and 26 letters and digits.
                     * @example mem_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    memberId: string;
                };
            };
        };
        responses: {
            /** @description Both as they are now: `from` is an admin, `to` an owner. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        from: components["schemas"]["Member"];
                        to: components["schemas"]["Member"];
                    };
                };
            };
        };
    };
    transferTenantOrganization: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of the caller’s own making, new for each request, of up to 255 characters. The same request sent again with it within 24 hours has no further effect, and gets the same answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "memberId": "mem_01k9zq3v5hf8gs4m2y7c6t0wdn"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The id of a membership: `mem_` and 26 letters and digits.
                     * @example mem_01k9zq3v5hf8gs4m2y7c6t0wdn
                     */
                    memberId: string;
                };
            };
        };
        responses: {
            /** @description Both as they are now: `from` is an admin, `to` an owner. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        from: components["schemas"]["Member"];
                        to: components["schemas"]["Member"];
                    };
                };
            };
        };
    };
    previewInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant that the request is about, where neither host nor token says it. Else `default`. */
                "Guildhall-Tenant"?: string;
            };
            path: {
                /**
                 * @description The id of an invitation: `inv_` and 26 letters and digits.
                 * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                inviteId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The part of the mailed link after `#token=`: `ghm_` and 97 more characters.
                     * @example ghm_01k9zq3v5hf8gs4m2y7c6t0wdn.01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    token: string;
                };
            };
        };
        responses: {
            /** @description What the invitation is about. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        organization: {
                            /**
                             * @description The id of an organization: `org_` and 26 letters and digits.
                             * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                             */
                            id: string;
                            /** @example Acme */
                            name: string;
                            /** @example acme */
                            slug: string;
                            logoUrl: string | null;
                        };
                        invitedBy: components["schemas"]["Person"] | null;
                        /** @example bob@example.com */
                        email: string;
                        /** @enum {string} */
                        role: "member" | "admin" | "owner";
                        /**
                         * Format: date-time
                         * @example 2026-01-31T09:30:00.000Z
                         */
                        expiresAt: string;
                        /** @description Whether the invited address is that of an account: sign in, or sign up? */
                        hasAccount: boolean;
                    };
                };
            };
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an invitation: `inv_` and 26 letters and digits.
                 * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                inviteId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organization, and the membership in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        organization: components["schemas"]["Organization"];
                        member: components["schemas"]["Member"];
                    };
                };
            };
        };
    };
    declineInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of an invitation: `inv_` and 26 letters and digits.
                 * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                inviteId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An invitation to an organization. Its link is in the mail alone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    listInvitations: {
        parameters: {
            query?: {
                /** @description How many items a page has at most. */
                limit?: number;
                /** @description The `nextCursor` of the page before, with the same filters. Good for 24 hours. */
                cursor?: string;
                /** @description Invitations in this state. */
                status?: "pending" | "accepted" | "declined" | "revoked" | "expired";
            };
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invitation"][];
                        /** @description Give it back as `cursor` for the next page; null on the last one. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    inviteMember: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of the caller’s own making, new for each request, of up to 255 characters. The same request sent again with it within 24 hours has no further effect, and gets the same answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.com"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @example ann@example.com
                     */
                    email: string;
                    /**
                     * @default member
                     * @enum {string}
                     */
                    role?: "member" | "admin" | "owner";
                };
            };
        };
        responses: {
            /** @description An invitation to an organization. Its link is in the mail alone. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    getInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: string;
                /**
                 * @description The id of an invitation: `inv_` and 26 letters and digits.
                 * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                inviteId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An invitation to an organization. Its link is in the mail alone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of what the caller has seen: refused where it was changed since.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: string;
                /**
                 * @description The id of an invitation: `inv_` and 26 letters and digits.
                 * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                inviteId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An invitation to an organization. Its link is in the mail alone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    listMyInvitations: {
        parameters: {
            query?: {
                /** @description How many items a page has at most. */
                limit?: number;
                /** @description The `nextCursor` of the page before, with the same filters. Good for 24 hours. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Invitation"][];
                        /** @description Give it back as `cursor` for the next page; null on the last one. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    resendInvitation: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of the caller’s own making, new for each request, of up to 255 characters. The same request sent again with it within 24 hours has no further effect, and gets the same answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: string;
                /**
                 * @description The id of an invitation: `inv_` and 26 letters and digits.
                 * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                inviteId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An invitation to an organization. Its link is in the mail alone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description How many items a page has at most. */
                limit?: number;
                /** @description The `nextCursor` of the page before, with the same filters. Good for 24 hours. */
                cursor?: string;
                /** @description Whether to add `total`, which is exact to 10,000. */
                includeTotal?: boolean;
                /** @description Prefix of the email address or the name, letters taken literally. */
                query?: string;
                /** @description Users in this state. */
                status?: "active" | "suspended";
                /** @description Users with this role in the tenant. */
                role?: "admin" | "user";
                /** @description Users whose email address is verified, or is not. */
                emailVerified?: boolean;
                /**
                 * @description Members of the organization with this id.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                organizationId?: string;
                /** @description Created at or after this time. */
                createdAfter?: string;
                /** @description Created before this time. */
                createdBefore?: string;
                /** @description What they are sorted by; `-` for descending. */
                sort?: "createdAt" | "-createdAt" | "email" | "-email" | "name" | "-name";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["User"][];
                        /** @description Give it back as `cursor` for the next page; null on the last one. */
                        nextCursor: string | null;
                        /** Format: int32 */
                        total?: number;
                        /** @description True when there are more than 10,000. */
                        totalCapped?: boolean;
                    };
                };
            };
        };
    };
    createUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A text of the caller’s own making, new for each request, of up to 255 characters. The same request sent again with it within 24 hours has no further effect, and gets the same answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ann@example.com"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: email
                     * @example ann@example.com
                     */
                    email: string;
                    /**
                     * Format: name
                     * @example Ann
                     */
                    name?: string;
                    /** @enum {string} */
                    role?: "admin" | "user";
                    /**
                     * Format: password
                     * @description The caller’s own. Needed to make somebody an admin.
                     * @example correct horse battery staple
                     */
                    currentPassword?: string;
                };
            };
        };
        responses: {
            /** @description A user, as they and the tenant’s admins see them. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A user, as they and the tenant’s admins see them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    deleteUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of what the caller has seen: refused where it was changed since.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is deleted for good. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    updateUser: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of what the caller has seen: refused where it was changed since.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ann"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @example Ann
                     */
                    name?: string | null;
                    /** @enum {string} */
                    role?: "admin" | "user";
                    /** @enum {string} */
                    status?: "active" | "suspended";
                    /**
                     * @description A JSON object of your own, at most 8 KiB and five levels deep.
                     * @example {
                     *       "plan": "team"
                     *     }
                     */
                    appMetadata?: {
                        [key: string]: unknown;
                    };
                    /**
                     * Format: password
                     * @description The caller’s own. Needed to make somebody an admin.
                     * @example correct horse battery staple
                     */
                    currentPassword?: string;
                };
            };
        };
        responses: {
            /** @description A user, as they and the tenant’s admins see them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
        };
    };
    listTenantOrganizations: {
        parameters: {
            query?: {
                /** @description How many items a page has at most. */
                limit?: number;
                /** @description The `nextCursor` of the page before, with the same filters. Good for 24 hours. */
                cursor?: string;
                /** @description Whether to add `total`, which is exact to 10,000. */
                includeTotal?: boolean;
                /** @description Prefix of the name, letters taken literally. */
                query?: string;
                /**
                 * @description Those that this user is in.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId?: string;
                /** @description The order; `-` for descending. */
                sort?: "name" | "-name" | "createdAt" | "-createdAt";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Organization"][];
                        /** @description Give it back as `cursor` for the next page; null on the last one. */
                        nextCursor: string | null;
                        /** Format: int32 */
                        total?: number;
                        /** @description True when there are more than 10,000. */
                        totalCapped?: boolean;
                    };
                };
            };
        };
    };
    getTenantOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An organization, and the caller’s role in it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
        };
    };
    deleteTenantOrganization: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of what the caller has seen: refused where it was changed since.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "confirm": "acme"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The slug of the organization.
                     * @example acme
                     */
                    confirm: string;
                };
            };
        };
        responses: {
            /** @description It is deleted for good. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
        };
    };
    listTenantOrganizationMembers: {
        parameters: {
            query?: {
                /** @description How many items a page has at most. */
                limit?: number;
                /** @description The `nextCursor` of the page before, with the same filters. Good for 24 hours. */
                cursor?: string;
                /** @description Prefix of the name or the email address, letters taken literally. */
                query?: string;
                /** @description Members with this role. */
                role?: "member" | "admin" | "owner";
                /** @description What they are sorted by; `-` for descending. */
                sort?: "joinedAt" | "name" | "email" | "-joinedAt" | "-name" | "-email";
            };
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Member"][];
                        /** @description Give it back as `cursor` for the next page; null on the last one. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    getTenant: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant that the request is about, where neither host nor token says it. Else `default`. */
                "Guildhall-Tenant"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A tenant, as whoever comes to it sees it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                };
            };
        };
    };
    getTenantSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A tenant with everything that is set for it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantSettings"];
                };
            };
        };
    };
    updateTenantSettings: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of what the caller has seen: refused where it was changed since.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "The Shop"
                 *     }
                 */
                "application/json": {
                    /**
                     * Format: name
                     * @example The Shop
                     */
                    name?: string;
                    brand?: {
                        /**
                         * Format: https-url
                         * @example https://example.com/logo.png
                         */
                        logoUrl?: string | null;
                        /** @example #0f766e */
                        color?: string | null;
                    };
                    /** @enum {string} */
                    signUp?: "open" | "invited_only" | "closed";
                    /** @description Of those who sign up, are invited or change their address; empty: any. Each stands for itself alone. */
                    allowedEmailDomains?: string[];
                    /**
                     * Format: int32
                     * @description In characters.
                     */
                    passwordMinimum?: number;
                    /**
                     * Format: int32
                     * @example 1209600
                     */
                    sessionIdleSeconds?: number;
                    /**
                     * Format: int32
                     * @example 2592000
                     */
                    sessionAbsoluteSeconds?: number;
                    /**
                     * Format: int32
                     * @example 34560000
                     */
                    auditRetentionSeconds?: number;
                    /** @description Whether pages may show pictures that other servers hold. */
                    remotePictures?: boolean;
                };
            };
        };
        responses: {
            /** @description A tenant with everything that is set for it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantSettings"];
                };
            };
        };
    };
    listTenantAudit: {
        parameters: {
            query?: {
                /** @description How many items a page has at most. */
                limit?: number;
                /** @description The `nextCursor` of the page before, with the same filters. Good for 24 hours. */
                cursor?: string;
                /** @description Entries of these actions: a comma list, in which `password.*` stands for the whole family. */
                action?: ("user.signed_up" | "user.created" | "user.suspended" | "user.reactivated" | "user.role_changed" | "user.deleted" | "session.started" | "session.refused" | "session.revoked" | "session.signed_out" | "email.verified" | "email.change_requested" | "email.changed" | "email.change_undone" | "password.changed" | "password.reset_requested" | "password.reset" | "password.switched_off" | "profile.updated" | "organization.created" | "organization.updated" | "organization.deleted" | "organization.ownership_transferred" | "invitation.sent" | "invitation.resent" | "invitation.accepted" | "invitation.declined" | "invitation.revoked" | "member.joined" | "member.role_changed" | "member.removed" | "member.left" | "tenant.created" | "tenant.updated" | "tenant.imported" | "user.*" | "session.*" | "email.*" | "password.*" | "profile.*" | "organization.*" | "invitation.*" | "member.*" | "tenant.*")[];
                /** @description Entries at or after this time. */
                from?: string;
                /** @description Entries before this time. */
                to?: string;
                /**
                 * @description Entries of the organization with this id.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                organizationId?: string;
                /**
                 * @description Entries whose actor or target has this id.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditEntry"][];
                        /** @description Give it back as `cursor` for the next page; null on the last one. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    listUserDevices: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The whole list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Device"][];
                        nextCursor: null;
                    };
                };
            };
        };
    };
    endUserDevices: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many sessions were ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: int32 */
                        endedSessions: number;
                    };
                };
            };
        };
    };
    endUserDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: string;
                /**
                 * @description The id of a device: `dev_` and 26 letters and digits.
                 * @example dev_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A session: a device on which somebody is signed in. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Device"];
                };
            };
        };
    };
    setUp: {
        parameters: {
            query?: never;
            header?: {
                /** @description The slug of the tenant that the request is about, where neither host nor token says it. Else `default`. */
                "Guildhall-Tenant"?: string;
                /** @description The session’s token comes as a cookie instead of in the body. */
                "Guildhall-Session"?: "cookie";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "ghu_01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0",
                 *       "email": "ann@example.com",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The part of the printed link after `#token=`: `ghu_` and 70 more characters.
                     * @example ghu_01k9zq3v5hf8gs4m2y7c6t0wdn.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    token: string;
                    /**
                     * Format: email
                     * @example ann@example.com
                     */
                    email: string;
                    /**
                     * Format: password
                     * @description From the tenant’s minimum to 256 characters; nothing is trimmed, no kinds of characters are asked for.
                     * @example correct horse battery staple
                     */
                    password: string;
                    /**
                     * Format: name
                     * @example Ann
                     */
                    name?: string;
                };
            };
        };
        responses: {
            /** @description The user, and the session that was started. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    listMails: {
        parameters: {
            query?: {
                /** @description How many items a page has at most. */
                limit?: number;
                /** @description The `nextCursor` of the page before, with the same filters. Good for 24 hours. */
                cursor?: string;
                /**
                 * @description Mails to this address.
                 * @example ann@example.com
                 */
                to?: string;
            };
            header?: {
                /** @description The slug of the tenant that the request is about, where neither host nor token says it. Else `default`. */
                "Guildhall-Tenant"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Mail"][];
                        /** @description Give it back as `cursor` for the next page; null on the last one. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All is well. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All is well. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "ok";
                    };
                };
            };
        };
    };
}
