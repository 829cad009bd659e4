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
         * @description What would be deleted with the caller’s account, and what prevents the deletion.
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
         * @description Your live sessions, most recently active first. The list has one page.
         */
        get: operations["listDevices"];
        put?: never;
        post?: never;
        /**
         * End all other sessions
         * @description Your current session stays. Links that were mailed to you stop working, and all other devices count as unknown again.
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
         * @description The next request from that device gets 401. You can also end the current session.
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
         * @description The caller, with the fields that only they and the tenant’s admins see.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        /**
         * Delete account
         * @description Permanent. Organizations whose only member is the caller are deleted as well.
         */
        delete: operations["deleteMe"];
        options?: never;
        head?: never;
        /**
         * Update profile
         * @description Omitted fields keep their value; `null` clears a field.
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
         * @description Ends all other sessions. The current one stays.
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
         * @description Takes the token that was mailed to the old address; it expires after 72 hours. The account gets the old address back, every session ends, and the password is disabled until it is reset. The link to reset it is mailed at once.
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
         * @description Requires a session of the person to whom the mail was sent. The token mailed to a new address completes the change to it. An invitation token also verifies the invited address.
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
         * @description Links sent earlier stop working.
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
         * @description Takes the token of the mail about a new device; it expires after seven days. Ends the session and all later sessions on the same device, which counts as unknown again. The token works once, even if the session has ended by then.
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
         * @description If an active user has this address, they get a mail with a link to choose a new password. The link expires after the time of `LIMIT_MAIL`, by default one hour. The answer and its time are the same whether or not the account exists.
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
         * @description Takes the token of a mail that lets its reader choose a password. Verifies the address, cancels a pending change of address, and ends every session. Nobody is signed in.
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
         * @description The answer and its time are the same whether or not the account exists. One exception: an account that was imported with another product’s password hash takes the time of that hash, until the first sign-in replaces it.
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
         * @description Ends the current session. Without one, the answer is the same.
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
         * @description A mail with a link to verify the address is sent. If too many mails were sent to it already, it can be requested later. With an invitation token, the invited address is verified at once.
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
         * @description The organizations of which the caller is a member, sorted by name.
         */
        get: operations["listOrganizations"];
        put?: never;
        /**
         * Create organization
         * @description The caller becomes the owner, and with that an admin. A person who owns `MAX_ORGANIZATIONS` organizations cannot create another one, but can still receive one by transfer.
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
         * @description For its members. Everybody else gets 404.
         */
        get: operations["getOrganization"];
        put?: never;
        post?: never;
        /**
         * Delete organization
         * @description Permanent: members, invitations and audit log are deleted as well. Owners and admins get a mail.
         */
        delete: operations["deleteOrganization"];
        options?: never;
        head?: never;
        /**
         * Update organization
         * @description Omitted fields keep their value; `null` clears a field.
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
         * @description Every member of the organization. Sorted by date of joining by default.
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
         * @description A member of the organization, by the id of the membership. `me` names the caller’s own membership.
         */
        get: operations["getMember"];
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description An admin removes others. Every member may leave (`me` names the caller’s own membership).
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Change a member’s role
         * @description You can neither change a member above you nor grant a role above your own.
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
         * @description In one step, the member becomes an owner and the caller an admin. Both get a mail.
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
         * @description For admins of the tenant, who need not be members. The member becomes an owner, and the owner who joined first becomes an admin, even if suspended. Both get a mail.
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
         * @description What the page behind the mailed link shows. The token stays valid.
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
         * @description The caller becomes a member. While that membership exists, accepting again gives the same answer.
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
         * @description Only the invited person can decline. To change that, they must be invited again.
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
         * @description Sends a mail with a link that expires after seven days.
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
         * @description An invitation in any state. Only the mail contains its link.
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
         * @description Pending invitations to the caller’s verified email address, newest first. Empty while the address is unverified.
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
         * @description Sends a new link that expires after seven days. Links sent earlier stop working. The caller becomes the inviter.
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
         * @description Every user of the tenant, for its admins. Newest first by default.
         */
        get: operations["listUsers"];
        put?: never;
        /**
         * Create user
         * @description The person gets a mail with a link to set a password. The link expires after seven days.
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
         * @description Permanent. Organizations whose only member is the user are deleted as well.
         */
        delete: operations["deleteUser"];
        options?: never;
        head?: never;
        /**
         * Update user
         * @description Omitted fields keep their value; `appMetadata` is merged. Suspending a user ends every session, disables links that were mailed to the user, and revokes invitations that the user sent.
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
         * @description Every organization of the tenant, for its admins. Sorted by name by default.
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
         * @description Any organization of the tenant, for its admins. `role` is null, even if the caller is a member.
         */
        get: operations["getTenantOrganization"];
        put?: never;
        post?: never;
        /**
         * Delete an organization of the tenant
         * @description Permanent: members, invitations and audit log are deleted as well. Owners and admins get a mail.
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
         * @description Every member of the organization, for admins of the tenant, who need not be members themselves.
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
         * @description What a sign-in page needs: the tenant’s brand, and who may sign up.
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
         * @description Only the operator can change slug, domains, sender, base URL and origins.
         */
        get: operations["getTenantSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update tenant settings
         * @description Omitted fields keep their value; `null` clears the logo or the colour. The change applies from the next request on.
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
         * @description Every entry of the tenant, newest first, with IP address and device.
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
         * @description The user’s live sessions, most recently active first. The list has one page.
         */
        get: operations["listUserDevices"];
        put?: never;
        post?: never;
        /**
         * End all of a user’s sessions
         * @description Ends every session of the user; if the user is you, also this one. Links that were mailed to the user stop working, and all of their devices count as unknown again.
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
         * @description The next request from that device gets 401.
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
         * @description Takes the one-time token that the service prints when it starts, or that `guildhall tenant create` prints.
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
         * @description Newest first. Exists only without `SMTP_URL`, and only while the service listens on loopback.
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
         * @description 200 while the process runs. Does not query the database.
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
         * @description 503 while the database cannot be reached, and while the service is stopping.
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
            action: "user.signed_up" | "user.created" | "user.suspended" | "user.reactivated" | "user.role_changed" | "user.deleted" | "session.started" | "session.refused" | "session.revoked" | "session.signed_out" | "email.verified" | "email.change_requested" | "email.changed" | "email.change_cancelled" | "email.change_undone" | "password.changed" | "password.reset_requested" | "password.reset" | "password.switched_off" | "profile.updated" | "organization.created" | "organization.updated" | "organization.deleted" | "organization.ownership_transferred" | "invitation.sent" | "invitation.resent" | "invitation.accepted" | "invitation.declined" | "invitation.revoked" | "member.joined" | "member.role_changed" | "member.removed" | "member.left" | "tenant.created" | "tenant.updated" | "tenant.imported";
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
            /** @description Old and new values of what changed. Of an object, such as metadata, only the keys that changed are here. A value of more than 256 characters is cut and ends with its length, as in `Once upon a time… (3000 characters)`. An entry has 4 KiB of values; `omittedKeys` counts the changed keys for which there was no room. */
            details: {
                [key: string]: unknown;
            } | null;
        };
        /** @description A user, as shown to themselves and to admins of the tenant. */
        User: {
            /**
             * @description The id of a user: `user_` and 26 letters and digits.
             * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
             */
            id: string;
            /** @example ann@example.com */
            email: string;
            emailVerified: boolean;
            /** @description An address that is not verified yet. */
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
             * @description A JSON object with your own content, at most 8 KiB and five levels deep.
             * @example {
             *       "plan": "team"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * @description A JSON object with your own content, at most 8 KiB and five levels deep.
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
            /** @description Whether this is the session of the request. */
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
        /** @description The user and the new session. */
        SignedIn: {
            user: components["schemas"]["User"];
            session: {
                /**
                 * @description Absent when the session is a cookie.
                 * @example ghs_01k9zq3v5hf8gs4m2y7c6t0wdn.…
                 */
                token?: string;
                /**
                 * @description Identifies this device at later sign-ins. Store it on the device, keep it after the session ends, and send it when the same user signs in there again. Absent when the session is a cookie: the device then has a cookie too.
                 * @example xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                 */
                deviceToken?: string;
                device: components["schemas"]["Device"];
            };
        };
        /** @description Permanently deleted. */
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
             * @description Lower-case letters, digits and hyphens. No hyphen at the start or end.
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
             * @description A JSON object with your own content, at most 8 KiB and five levels deep.
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
            /** @description The caller’s role and every role that it includes. */
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
        /** @description A user, as shown to others. */
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
            /** @description The role and every role that it includes. */
            roles: ("member" | "admin" | "owner")[];
            /**
             * Format: date-time
             * @example 2026-01-31T09:30:00.000Z
             */
            joinedAt: string;
            invitedBy: components["schemas"]["Person"] | null;
        };
        /** @description An invitation to an organization. Only the mail contains its link. */
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
             * @description Null after the invited person has deleted their account.
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
        /** @description The public settings of a tenant. */
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
            /** @description Whether pages may show pictures from other servers. */
            remotePictures: boolean;
        };
        /** @description All settings of a tenant. */
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
            /** @description The domains that addresses may have when people sign up, are invited or change their address. Empty: all. Subdomains are not included. */
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
            /** @description Whether pages may show pictures from other servers. */
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
    parameters: {
        /** @description Puts the session token into a cookie instead of the body. */
        "Guildhall-Session": "cookie";
        /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
        "Guildhall-Tenant": string;
        /**
         * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
         * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
         */
        "Idempotency-Key": string;
        /**
         * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
         * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
         */
        "If-Match": string;
        /** @description A comma-separated list of actions. `password.*` names a whole family. */
        action: ("user.signed_up" | "user.created" | "user.suspended" | "user.reactivated" | "user.role_changed" | "user.deleted" | "session.started" | "session.refused" | "session.revoked" | "session.signed_out" | "email.verified" | "email.change_requested" | "email.changed" | "email.change_cancelled" | "email.change_undone" | "password.changed" | "password.reset_requested" | "password.reset" | "password.switched_off" | "profile.updated" | "organization.created" | "organization.updated" | "organization.deleted" | "organization.ownership_transferred" | "invitation.sent" | "invitation.resent" | "invitation.accepted" | "invitation.declined" | "invitation.revoked" | "member.joined" | "member.role_changed" | "member.removed" | "member.left" | "tenant.created" | "tenant.updated" | "tenant.imported" | "user.*" | "session.*" | "email.*" | "password.*" | "profile.*" | "organization.*" | "invitation.*" | "member.*" | "tenant.*")[];
        /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
        cursor: string;
        /**
         * @description The id of a device: `dev_` and 26 letters and digits.
         * @example dev_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        deviceId: string;
        /** @description Entries at or after this time. */
        from: string;
        /** @description Adds `total`, which is exact up to 10,000. */
        includeTotal: boolean;
        /**
         * @description The id of an invitation: `inv_` and 26 letters and digits.
         * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        inviteId: string;
        /** @description The maximum number of items on a page. */
        limit: number;
        /**
         * @description The id of a membership, or `me` for the caller’s own.
         * @example me
         */
        memberId: string;
        /**
         * @description The organization’s id, or its slug.
         * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        orgId: string;
        /**
         * @description Entries of the organization with this id.
         * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        organizationId: string;
        /** @description The beginning of the name or the email address. No wildcards. */
        query: string;
        /** @description Members with this role. */
        role: "member" | "admin" | "owner";
        /** @description The order. `-` means descending. */
        sort: "joinedAt" | "name" | "email" | "-joinedAt" | "-name" | "-email";
        /** @description Entries before this time. */
        to: string;
        /**
         * @description The id of a user: `user_` and 26 letters and digits.
         * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        userId: string;
        /**
         * @description The member who is this user.
         * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
         */
        "userId.query": string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listMyAudit: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description A comma-separated list of actions. `password.*` names a whole family. */
                action?: components["parameters"]["action"];
                /** @description Entries at or after this time. */
                from?: components["parameters"]["from"];
                /** @description Entries before this time. */
                to?: components["parameters"]["to"];
                /**
                 * @description Entries of the organization with this id.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                organizationId?: components["parameters"]["organizationId"];
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
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
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
            /** @description What would be deleted, and what prevents the deletion. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description What would be deleted: live sessions, memberships and pending invitations. */
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
                        /** @description Deleted with the account, because nobody else is a member. */
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
                             * @description Lower-case letters, digits and hyphens. No hyphen at the start or end.
                             * @example acme
                             */
                            slug: string;
                        }[];
                        /** @description They prevent the deletion: the caller is their only owner, and they have other members. */
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
                             * @description Lower-case letters, digits and hyphens. No hyphen at the start or end.
                             * @example acme
                             */
                            slug: string;
                            /**
                             * Format: int32
                             * @example 3
                             */
                            memberCount: number;
                            /** @description Active members who could become the owner: admins first, then by date of joining. At most 20. */
                            candidates: components["schemas"]["Member"][];
                        }[];
                        /** @description True if the tenant has no other active admin. This prevents the deletion. */
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
            /** @description The number of sessions that were ended. */
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
                deviceId: components["parameters"]["deviceId"];
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
            /** @description A user, as shown to themselves and to admins of the tenant. */
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
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
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
            /** @description Permanently deleted. */
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
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
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
                     * @description A JSON object with your own content, at most 8 KiB and five levels deep.
                     * @example {
                     *       "plan": "team"
                     *     }
                     */
                    metadata?: {
                        [key: string]: unknown;
                    };
                    /**
                     * Format: email
                     * @description Becomes `pendingEmail` until the link mailed to it is opened. The current address cancels a pending change.
                     * @example ann@example.com
                     */
                    email?: string;
                    /**
                     * Format: password
                     * @description Required with `email`, and only with it.
                     * @example correct horse battery staple
                     */
                    currentPassword?: string;
                };
            };
        };
        responses: {
            /** @description A user, as shown to themselves and to admins of the tenant. */
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
                     * @description From the tenant’s minimum to 256 characters. Spaces are kept. No kinds of characters are required.
                     * @example correct horse battery staple
                     */
                    newPassword: string;
                };
            };
        };
        responses: {
            /** @description The number of other sessions that were ended. */
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
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
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
            /** @description The account has its old address again. */
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
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
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
            /** @description The verified address. */
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
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
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
            /** @description The session has ended. */
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
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
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
            /** @description The request is accepted. Any mail is sent later. */
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
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
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
                     * @description From the tenant’s minimum to 256 characters. Spaces are kept. No kinds of characters are required.
                     * @example correct horse battery staple
                     */
                    newPassword: string;
                };
            };
        };
        responses: {
            /** @description The password was set. */
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
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
                /** @description Puts the session token into a cookie instead of the body. */
                "Guildhall-Session"?: components["parameters"]["Guildhall-Session"];
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
                    /**
                     * @description The token of the last session of this user on this device. With it, wrong passwords from other devices do not delay this sign-in, and no mail is sent about a new device. Browsers that use the session cookie have a cookie for this.
                     * @example xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx0
                     */
                    deviceToken?: string;
                };
            };
        };
        responses: {
            /** @description The user and the new session. */
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
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
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
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
                /** @description Puts the session token into a cookie instead of the body. */
                "Guildhall-Session"?: components["parameters"]["Guildhall-Session"];
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
                     * @description From the tenant’s minimum to 256 characters. Spaces are kept. No kinds of characters are required.
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
            /** @description The user and the new session. */
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
                /** @description The maximum number of items on a page. */
                limit?: number;
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description The beginning of the name or the slug. No wildcards. */
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
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
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
                 * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
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
                     * @description Lower-case letters, digits and hyphens. No hyphen at the start or end.
                     * @example acme
                     */
                    slug?: string;
                    /**
                     * Format: https-url
                     * @example https://example.com/logo.png
                     */
                    logoUrl?: string | null;
                    /**
                     * @description A JSON object with your own content, at most 8 KiB and five levels deep.
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
                orgId: components["parameters"]["orgId"];
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
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
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
            /** @description Permanently deleted. */
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
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
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
                     * @description Lower-case letters, digits and hyphens. No hyphen at the start or end.
                     * @example acme
                     */
                    slug?: string;
                    /**
                     * Format: https-url
                     * @example https://example.com/logo.png
                     */
                    logoUrl?: string | null;
                    /**
                     * @description A JSON object with your own content, at most 8 KiB and five levels deep.
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
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description A comma-separated list of actions. `password.*` names a whole family. */
                action?: components["parameters"]["action"];
                /** @description Entries at or after this time. */
                from?: components["parameters"]["from"];
                /** @description Entries before this time. */
                to?: components["parameters"]["to"];
            };
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
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
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                    };
                };
            };
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description The beginning of the name or the email address. No wildcards. */
                query?: components["parameters"]["query"];
                /** @description Members with this role. */
                role?: components["parameters"]["role"];
                /**
                 * @description The member who is this user.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId?: components["parameters"]["userId.query"];
                /** @description The order. `-` means descending. */
                sort?: components["parameters"]["sort"];
            };
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
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
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
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
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a membership, or `me` for the caller’s own.
                 * @example me
                 */
                memberId: components["parameters"]["memberId"];
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
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of a membership, or `me` for the caller’s own.
                 * @example me
                 */
                memberId: components["parameters"]["memberId"];
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
                orgId: components["parameters"]["orgId"];
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
                 * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
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
            /** @description Both members after the transfer: `from` is an admin, `to` an owner. */
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
                 * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
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
            /** @description Both members after the transfer: `from` is an admin, `to` an owner. */
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
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
            };
            path: {
                /**
                 * @description The id of an invitation: `inv_` and 26 letters and digits.
                 * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                inviteId: components["parameters"]["inviteId"];
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
            /** @description The invitation. */
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
                        /** @description Whether the invited address has an account: then sign in, else sign up. */
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
                inviteId: components["parameters"]["inviteId"];
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
                inviteId: components["parameters"]["inviteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An invitation to an organization. Only the mail contains its link. */
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
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description Invitations with this status. */
                status?: "pending" | "accepted" | "declined" | "revoked" | "expired";
            };
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
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
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
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
                 * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
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
            /** @description An invitation to an organization. Only the mail contains its link. */
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
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of an invitation: `inv_` and 26 letters and digits.
                 * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                inviteId: components["parameters"]["inviteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An invitation to an organization. Only the mail contains its link. */
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
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of an invitation: `inv_` and 26 letters and digits.
                 * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                inviteId: components["parameters"]["inviteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An invitation to an organization. Only the mail contains its link. */
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
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
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
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
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
                 * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
                /**
                 * @description The id of an invitation: `inv_` and 26 letters and digits.
                 * @example inv_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                inviteId: components["parameters"]["inviteId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An invitation to an organization. Only the mail contains its link. */
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
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description Adds `total`, which is exact up to 10,000. */
                includeTotal?: components["parameters"]["includeTotal"];
                /** @description The beginning of the email address or the name. No wildcards. */
                query?: string;
                /** @description Users with this status. */
                status?: "active" | "suspended";
                /** @description Users with this role in the tenant. */
                role?: "admin" | "user";
                /** @description Users whose email address is verified (true) or not (false). */
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
                /** @description The order. `-` means descending. */
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
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                        /** Format: int32 */
                        total?: number;
                        /** @description True if there are more than 10,000. */
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
                 * @description A text of your own, new for each request, with at most 255 characters. If you send the same request again with the same key within 24 hours, nothing happens twice and you get the first answer.
                 * @example "8e03978e-40d5-43e8-bc93-6894a57f9324"
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
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
                     * @description Your own password. Required to make somebody an admin.
                     * @example correct horse battery staple
                     */
                    currentPassword?: string;
                };
            };
        };
        responses: {
            /** @description A user, as shown to themselves and to admins of the tenant. */
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
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A user, as shown to themselves and to admins of the tenant. */
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
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Permanently deleted. */
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
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The id of a user: `user_` and 26 letters and digits.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId: components["parameters"]["userId"];
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
                     * @description A JSON object with your own content, at most 8 KiB and five levels deep.
                     * @example {
                     *       "plan": "team"
                     *     }
                     */
                    appMetadata?: {
                        [key: string]: unknown;
                    };
                    /**
                     * Format: password
                     * @description Your own password. Required to make somebody an admin.
                     * @example correct horse battery staple
                     */
                    currentPassword?: string;
                };
            };
        };
        responses: {
            /** @description A user, as shown to themselves and to admins of the tenant. */
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
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description Adds `total`, which is exact up to 10,000. */
                includeTotal?: components["parameters"]["includeTotal"];
                /** @description The beginning of the name. No wildcards. */
                query?: string;
                /**
                 * @description Organizations of which this user is a member.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId?: string;
                /** @description The order. `-` means descending. */
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
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
                        nextCursor: string | null;
                        /** Format: int32 */
                        total?: number;
                        /** @description True if there are more than 10,000. */
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
                orgId: components["parameters"]["orgId"];
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
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
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
            /** @description Permanently deleted. */
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
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description The beginning of the name or the email address. No wildcards. */
                query?: components["parameters"]["query"];
                /** @description Members with this role. */
                role?: components["parameters"]["role"];
                /**
                 * @description The member who is this user.
                 * @example user_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                userId?: components["parameters"]["userId.query"];
                /** @description The order. `-` means descending. */
                sort?: components["parameters"]["sort"];
            };
            header?: never;
            path: {
                /**
                 * @description The organization’s id, or its slug.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                orgId: components["parameters"]["orgId"];
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
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
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
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The public settings of a tenant. */
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
            /** @description All settings of a tenant. */
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
                 * @description The `ETag` that you have read. If the resource has changed since, the request is refused with 412.
                 * @example "org_01k9zq3v5hf8gs4m2y7c6t0wdn.7"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
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
                    /** @description The domains that addresses may have when people sign up, are invited or change their address. Empty: all. Subdomains are not included. */
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
                    /** @description Whether pages may show pictures from other servers. */
                    remotePictures?: boolean;
                };
            };
        };
        responses: {
            /** @description All settings of a tenant. */
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
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /** @description A comma-separated list of actions. `password.*` names a whole family. */
                action?: components["parameters"]["action"];
                /** @description Entries at or after this time. */
                from?: components["parameters"]["from"];
                /** @description Entries before this time. */
                to?: components["parameters"]["to"];
                /**
                 * @description Entries of the organization with this id.
                 * @example org_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                organizationId?: components["parameters"]["organizationId"];
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
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
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
                userId: components["parameters"]["userId"];
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
                userId: components["parameters"]["userId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The number of sessions that were ended. */
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
                userId: components["parameters"]["userId"];
                /**
                 * @description The id of a device: `dev_` and 26 letters and digits.
                 * @example dev_01k9zq3v5hf8gs4m2y7c6t0wdn
                 */
                deviceId: components["parameters"]["deviceId"];
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
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
                /** @description Puts the session token into a cookie instead of the body. */
                "Guildhall-Session"?: components["parameters"]["Guildhall-Session"];
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
                     * @description From the tenant’s minimum to 256 characters. Spaces are kept. No kinds of characters are required.
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
            /** @description The user and the new session. */
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
                /** @description The maximum number of items on a page. */
                limit?: components["parameters"]["limit"];
                /** @description The `nextCursor` of the previous page, with the same filters. Expires after 24 hours. */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description Mails to this address.
                 * @example ann@example.com
                 */
                to?: string;
            };
            header?: {
                /** @description The slug of the tenant, if neither the host nor a token names it. Without it, the tenant is `default`. */
                "Guildhall-Tenant"?: components["parameters"]["Guildhall-Tenant"];
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
                        /** @description Send it as `cursor` to get the next page. Null on the last page. */
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
